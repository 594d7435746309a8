package dev.ringfence.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ringfence.fence.FenceKey;
import dev.ringfence.harness.HarnessLifecycle;
import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.RingfenceClient.Answer;
import dev.ringfence.harness.TestDatabase;
import dev.ringfence.transport.TestPem;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.RunAsClient;
import org.jboss.arquillian.junit5.container.annotation.ArquillianTest;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Subscriptions over HTTP in the real server. */
@ArquillianTest
@RunAsClient
class SubscriptionsIT {

    @ArquillianResource
    private URI base;

    private final TestDatabase database = HarnessLifecycle.managedDatabase();
    private final String tenant = "shop-" + UUID.randomUUID();
    private RingfenceClient admin;
    private RingfenceClient operator;
    private String operatorKey;
    private String app;

    @Deployment
    static WebArchive war() {
        return HarnessLifecycle.war();
    }

    @BeforeEach
    void register() {
        admin = new RingfenceClient(base.resolve("api/v1/"), HarnessLifecycle.ADMIN_KEY);
        app = admin.createApp("subscriptions");
        operatorKey = admin.createKey(app, "ops", "operator");
        operator = admin.as(operatorKey);
        admin.enrol(app, tenant);
    }

    private String subscriptions() {
        return "apps/" + app + "/tenants/" + tenant + "/subscriptions";
    }

    private static ObjectNode push(String name) {
        return RingfenceClient.object().put("name", name).put("mode", "PUSH").put("url", "https://1.1.1.1/in");
    }

    @Test
    @Tag("SB-1")
    @Tag("SC-2")
    @Tag("RC-12")
    void aMadeSecretIsShownOnceAndKeptNowhere() throws SQLException {
        ObjectNode request = push("orders");
        request.putArray("eventTypes").add("order.*");
        String key = UUID.randomUUID().toString();

        Answer created = postWithKey(request, key).expect(201);
        String secret = created.body().path("secret").asText();
        assertThat(secret).startsWith("whsec_");
        assertThat(created.body().at("/signing/0/secret").asText()).isEqualTo(secret);

        Answer replayed = postWithKey(request, key).expect(201);
        assertThat(replayed.header("Idempotency-Replayed")).contains("true");
        assertThat(replayed.body().path("id")).isEqualTo(created.body().path("id"));
        assertThat(replayed.text()).doesNotContain("secret");

        Answer read = operator.get("apps/" + app + "/subscriptions/"
                        + created.body().path("id").asText())
                .expect(200);
        assertThat(read.text()).doesNotContain("secret");
        assertThat(read.body().path("status").asText()).isEqualTo("ACTIVE");
        assertThat(read.body().at("/grants/0").asText()).isEqualTo("order.*");
        assertThat(read.body().at("/retry/waitsSeconds")).hasSize(5);
        assertThat(read.body()).isEqualTo(replayed.body());
        assertThat(tablesThatHold(secret)).isEmpty();
        assertThat(tablesThatHold(secret.substring("whsec_".length()))).isEmpty();
        assertThat(tablesThatHold(created.body().path("id").asText()))
                .as("the search finds what is there")
                .contains("subscriptions", "subscription_secrets", "audit_log");
    }

    @Test
    @Tag("SC-2")
    void aGivenSecretIsNeverRepeated() throws SQLException {
        ObjectNode request = push("given");
        request.putArray("signing").addObject().put("scheme", "webhook-id").put("secret", "canary-of-a-secret");
        Answer created = operator.post(subscriptions(), request).expect(201);
        assertThat(created.text()).doesNotContain("canary");
        assertThat(tablesThatHold("canary-of-a-secret")).isEmpty();
    }

    @Test
    @Tag("HT-1")
    @Tag("SC-2")
    @Tag("RC-12")
    void aReceiversTokenIsShownToNobody() throws SQLException {
        String token = "receiver-token-canary";
        ObjectNode request = push("with token");
        request.putObject("auth").put("type", "bearer").put("token", token);
        String key = UUID.randomUUID().toString();

        Answer created = postWithKey(request, key).expect(201);
        Answer replayed = postWithKey(request, key).expect(201);
        Answer read = operator.get("apps/" + app + "/subscriptions/"
                        + created.body().path("id").asText())
                .expect(200);
        Answer listed = operator.get(subscriptions()).expect(200);

        for (Answer answer : List.of(created, replayed, read, listed)) {
            assertThat(answer.text()).contains("\"auth\":{\"type\":\"bearer\"}").doesNotContain("canary");
        }
        assertThat(tablesThatHold(token)).isEmpty();
        operator.put(
                        "apps/" + app + "/subscriptions/"
                                + created.body().path("id").asText() + "/grants",
                        families("order.*"))
                .expect(200);
        assertThat(tablesThatHold(token)).isEmpty();
        assertThat(operator.post(subscriptions(), push("without"))
                        .expect(201)
                        .body()
                        .has("auth"))
                .isFalse();

        request.putObject("auth").put("type", "bearer").put("token", "bad canary");
        Answer refused = operator.post(subscriptions(), request).expect(422);
        assertThat(refused.body().at("/errors/0/pointer").asText()).isEqualTo("/auth/token");
        assertThat(refused.text()).doesNotContain("canary");
    }

    @Test
    @Tag("SB-1")
    @Tag("SC-2")
    void whatApproachesAReceiverIsShownToNobodyButWhenItEnds(@TempDir Path directory) throws Exception {
        TestPem pem = TestPem.make(directory);
        ObjectNode request = push("with certificate and client");
        request.putObject("auth")
                .put("type", "oauth2")
                .put("tokenUrl", "https://1.1.1.1/token")
                .put("clientId", "id-canary")
                .put("clientSecret", "secret-canary");
        request.putObject("tls")
                .put("ca", pem.certificate())
                .put("cert", pem.certificate())
                .put("key", pem.key());

        Answer created = operator.post(subscriptions(), request).expect(201);
        Answer read = operator.get("apps/" + app + "/subscriptions/"
                        + created.body().path("id").asText())
                .expect(200);
        for (Answer answer : List.of(created, read)) {
            assertThat(answer.text())
                    .contains("\"auth\":{\"type\":\"oauth2\"}")
                    .doesNotContain("canary", "BEGIN", "1.1.1.1/token");
            assertThat(Instant.parse(answer.body().at("/tls/certExpires").asText()))
                    .isEqualTo(pem.expires());
            assertThat(Instant.parse(answer.body().at("/tls/caExpires").asText()))
                    .isEqualTo(pem.expires());
        }
        for (String secret : List.of("id-canary", "secret-canary", "BEGIN PRIVATE KEY", "BEGIN CERTIFICATE")) {
            assertThat(tablesThatHold(secret)).as(secret).isEmpty();
        }

        request.withObject("/auth").put("tokenUrl", "https://10.0.0.5/canary");
        Answer refused = operator.post(subscriptions(), request).expect(422);
        assertThat(refused.code()).isEqualTo("DESTINATION_NOT_ALLOWED");
        assertThat(refused.body().at("/errors/0/pointer").asText()).isEqualTo("/auth/tokenUrl");
        request.withObject("/tls").put("key", "canary");
        refused = operator.post(subscriptions(), request).expect(422);
        assertThat(refused.body().at("/errors/0/pointer").asText()).isEqualTo("/tls/key");
        assertThat(refused.text()).doesNotContain("canary");
    }

    @Test
    @Tag("SB-1")
    @Tag("HT-1")
    void aPatchOfCertificatesKeepsThePartsThatItDoesNotName(@TempDir Path directory) throws Exception {
        TestPem pem = TestPem.make(directory);
        ObjectNode request = push("parts");
        request.putObject("tls").put("cert", pem.certificate()).put("key", pem.key());
        String one = "apps/" + app + "/subscriptions/"
                + operator.post(subscriptions(), request)
                        .expect(201)
                        .body()
                        .path("id")
                        .asText();
        ObjectNode patch = RingfenceClient.object();
        patch.putObject("tls").put("ca", pem.certificate());
        JsonNode changed = operator.patch(one, patch).expect(200).body();
        assertThat(changed.path("tls").properties())
                .extracting(java.util.Map.Entry::getKey)
                .containsExactlyInAnyOrder("caExpires", "certExpires");
        assertThat(changed.toString()).doesNotContain("BEGIN");

        patch.putObject("tls").put("cert", "no certificate");
        assertThat(operator.patch(one, patch)
                        .expect(422)
                        .body()
                        .at("/errors/0/pointer")
                        .asText())
                .isEqualTo("/tls/cert");
        patch.putObject("tls").putNull("key");
        assertThat(operator.patch(one, patch)
                        .expect(422)
                        .body()
                        .at("/errors/0/pointer")
                        .asText())
                .isEqualTo("/tls/key");
        assertThat(operator.get(one).expect(200).body()).isEqualTo(changed);

        patch.putObject("tls").putNull("cert").putNull("key");
        changed = operator.patch(one, patch).expect(200).body();
        assertThat(Instant.parse(changed.at("/tls/caExpires").asText())).isEqualTo(pem.expires());
        assertThat(changed.at("/tls/certExpires").isMissingNode()).isTrue();
        patch.putObject("tls").putNull("ca");
        assertThat(operator.patch(one, patch).expect(200).body().has("tls")).isFalse();
        patch.putObject("tls").putNull("cert");
        assertThat(operator.patch(one, patch).expect(200).body().has("tls"))
                .as("there is none")
                .isFalse();
        patch.putObject("tls");
        assertThat(operator.patch(one, patch)
                        .expect(422)
                        .body()
                        .at("/errors/0/pointer")
                        .asText())
                .isEqualTo("/tls");
    }

    @Test
    @Tag("SB-1")
    @Tag("HT-1")
    void aPatchReplacesOneAccessWholeAndKeepsTheOther(@TempDir Path directory) throws Exception {
        TestPem pem = TestPem.make(directory);
        ObjectNode request = push("to be patched");
        request.putObject("auth").put("type", "bearer").put("token", "token-canary");
        request.putObject("tls").put("ca", pem.certificate());
        String one = "apps/" + app + "/subscriptions/"
                + operator.post(subscriptions(), request)
                        .expect(201)
                        .body()
                        .path("id")
                        .asText();
        ObjectNode oauth = RingfenceClient.object();
        oauth.putObject("auth")
                .put("type", "oauth2")
                .put("tokenUrl", "https://1.1.1.1/token")
                .put("clientId", "patched")
                .put("clientSecret", "patched");

        JsonNode changed = operator.patch(one, oauth).expect(200).body();
        assertThat(changed.at("/auth/type").asText()).isEqualTo("oauth2");
        assertThat(Instant.parse(changed.at("/tls/caExpires").asText())).isEqualTo(pem.expires());

        assertThat(operator.patch(one, RingfenceClient.object().put("url", "http://1.1.1.1/plain"))
                        .expect(422)
                        .body()
                        .at("/errors/0/pointer")
                        .asText())
                .isEqualTo("/tls");
        oauth.withObject("/auth").put("tokenUrl", "https://10.0.0.5/x");
        assertThat(operator.patch(one, oauth).expect(422).code()).isEqualTo("DESTINATION_NOT_ALLOWED");
        ObjectNode bare = RingfenceClient.object();
        bare.putObject("tls").put("key", pem.key());
        assertThat(operator.patch(one, bare)
                        .expect(422)
                        .body()
                        .at("/errors/0/pointer")
                        .asText())
                .as("a key without its certificate")
                .isEqualTo("/tls/cert");
        assertThat(operator.get(one).expect(200).body()).isEqualTo(changed);

        ObjectNode none = RingfenceClient.object();
        none.putNull("tls");
        changed = operator.patch(one, none).expect(200).body();
        assertThat(changed.has("tls")).isFalse();
        assertThat(changed.at("/auth/type").asText()).isEqualTo("oauth2");
    }

    @Test
    @Tag("SB-1")
    void aListPagesInTheOrderOfCreation() {
        List<String> ids = new ArrayList<>();
        for (String name : List.of("a", "b", "c")) {
            ids.add(operator.post(subscriptions(), push(name))
                    .expect(201)
                    .body()
                    .path("id")
                    .asText());
        }
        JsonNode first = operator.get(subscriptions() + "?limit=2").expect(200).body();
        JsonNode second = operator.get(subscriptions() + "?limit=2&cursor="
                        + first.path("next").asText())
                .expect(200)
                .body();
        List<String> seen = new ArrayList<>(first.path("items").findValuesAsText("id"));
        seen.addAll(second.path("items").findValuesAsText("id"));
        assertThat(seen).isEqualTo(ids);
        assertThat(second.path("next").isNull()).isTrue();
        assertThat(operator.get(subscriptions() + "?cursor=rubbish").code()).isEqualTo("INVALID_CURSOR");
    }

    @Test
    @Tag("HT-4")
    void aDestinationThatIsNotAllowedIsRefusedWhenItIsSaved() {
        for (String url : List.of(
                "https://10.0.0.5/h",
                "http://127.0.0.1:8080/",
                "http://169.254.169.254/latest",
                "https://example.test:pw@10.0.0.5/h",
                "https://example.test\\@10.0.0.5/",
                "https://1.1.1.1:0/",
                "https://1.1.1.1:65536/",
                "https://1.1.1.1/h#frag",
                "ftp://1.1.1.1/")) {
            Answer answer = operator.post(subscriptions(), push("x").put("url", url));
            assertThat(answer.status()).as(url).isEqualTo(422);
            assertThat(answer.code()).as(url).isEqualTo("DESTINATION_NOT_ALLOWED");
            assertThat(answer.body().at("/errors/0/pointer").asText()).isEqualTo("/url");
        }
        assertThat(operator.get(subscriptions()).body().path("items")).isEmpty();
    }

    @Test
    @Tag("SB-1")
    void allFaultsOfARequestAreToldAtOnce() {
        ObjectNode request = push("x").put("onDead", "BLOCK");
        request.putObject("headers").put("X-A", "a\r\nX-Injected: 1").put("hOST", "b");
        request.putArray("signing").addObject().put("scheme", "webhook-id").put("secret", "whsec_");
        Answer answer = operator.post(subscriptions(), request).expect(422);
        assertThat(answer.code()).isEqualTo("INVALID");
        assertThat(answer.body().path("errors").findValuesAsText("pointer"))
                .containsExactly("/headers/X-A", "/headers/hOST", "/onDead", "/signing/0/secret");
        assertThat(answer.text()).doesNotContain("Injected");
    }

    @Test
    @Tag("SC-1")
    void rolesAndApplicationsKeepApart() {
        String id = operator.post(subscriptions(), push("x"))
                .expect(201)
                .body()
                .path("id")
                .asText();
        String one = "apps/" + app + "/subscriptions/" + id;
        RingfenceClient client = admin.as(admin.createKey(app, "client", "client"));
        RingfenceClient auditor = admin.as(admin.createKey(app, "auditor", "auditor"));
        for (RingfenceClient reader : List.of(client, auditor)) {
            reader.get(one).expect(200);
            reader.get(subscriptions()).expect(200);
            reader.post(subscriptions(), push("y")).expect(403);
            reader.put(one + "/grants", families()).expect(403);
        }
        String other = admin.createApp("other");
        RingfenceClient foreign = admin.as(admin.createKey(other, "admin", "admin"));
        foreign.get(one).expect(404);
        foreign.get(subscriptions()).expect(404);
        foreign.post(subscriptions(), push("y")).expect(404);
        foreign.put(one + "/grants", families()).expect(404);
        foreign.get("apps/" + other + "/subscriptions/" + id).expect(404);
        foreign.put("apps/" + other + "/subscriptions/" + id + "/grants", families())
                .expect(404);
    }

    @Test
    @Tag("SB-5")
    @Tag("OP-1")
    void creatingIsAcceptingAndGrantsAreNarrowedWithATrace() {
        String id = operator.post(subscriptions(), push("x"))
                .expect(201)
                .body()
                .path("id")
                .asText();
        Answer narrowed = operator.put("apps/" + app + "/subscriptions/" + id + "/grants", families("order.*"))
                .expect(200);
        assertThat(narrowed.body().at("/grants/0").asText()).isEqualTo("order.*");
        Answer revoked = operator.put("apps/" + app + "/subscriptions/" + id + "/grants", families())
                .expect(200);
        assertThat(revoked.body().path("grants")).isEmpty();
        assertThat(operator.put("apps/" + app + "/subscriptions/" + id + "/grants", families("Bad"))
                        .body()
                        .at("/errors/0/pointer")
                        .asText())
                .isEqualTo("/families/0");
        assertThat(
                        database.number(
                                "select count(*) from ringfence.audit_log where target = '" + id
                                        + "' and action = 'subscription.create' and actor like '%ops%' and detail = '{\"grants\": [\"*\"]}'"))
                .isEqualTo(1);
        assertThat(database.number("select count(*) from ringfence.audit_log where target = '" + id
                        + "' and action = 'subscription.grants'"))
                .isEqualTo(2);
    }

    @Test
    @Tag("LC-2")
    void onlyAnActiveTenantCanBeSubscribedTo() {
        String unknown = "apps/" + app + "/tenants/unknown/subscriptions";
        assertThat(operator.post(unknown, push("x")).expect(409).code()).isEqualTo("STALE_EPOCH");
        operator.get(unknown).expect(404);
        database.execute("update ringfence.tenant_lifecycle set phase = 'REDACTED' where tenant = '" + tenant + "'");
        assertThat(operator.post(subscriptions(), push("x")).expect(409).code()).isEqualTo("TENANT_REDACTED");
        assertThat(database.number("select count(*) from ringfence.tenant_lifecycle where app_id = '" + app + "'"))
                .isEqualTo(1);
    }

    @Test
    @Tag("FN-3")
    void aTenantThatIsWorkedOnExclusivelyMakesItWaitAndGiveUp() throws SQLException {
        try (Connection redaction = database.connect();
                var lock = redaction.prepareStatement("select pg_advisory_lock(?)")) {
            lock.setLong(1, FenceKey.of(UUID.fromString(app), tenant).value());
            lock.execute();
            assertThat(operator.post(subscriptions(), push("x")).expect(503).code())
                    .isEqualTo("FENCE_TIMEOUT");
        }
        operator.post(subscriptions(), push("x")).expect(201);
    }

    private static ObjectNode families(String... families) {
        ObjectNode request = RingfenceClient.object();
        var array = request.putArray("families");
        List.of(families).forEach(array::add);
        return request;
    }

    private Answer postWithKey(JsonNode body, String key) {
        return RingfenceClient.send(HttpRequest.newBuilder(base.resolve("api/v1/" + subscriptions()))
                .header("Authorization", "Bearer " + operatorKey)
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", key)
                .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                .build());
    }

    /** Every table whose rows, written out, show the text or its bytes. */
    private List<String> tablesThatHold(String text) throws SQLException {
        String hex = HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
        List<String> found = new ArrayList<>();
        try (Connection connection = database.connect();
                var tables = connection
                        .createStatement()
                        .executeQuery("select relname from pg_class where relnamespace = 'ringfence'::regnamespace"
                                + " and relkind in ('r', 'p')")) {
            while (tables.next()) {
                String table = tables.getString(1);
                if (database.number("select count(*) from ringfence." + table + " t where position('" + text
                                + "' in t::text) > 0 or position('" + hex + "' in t::text) > 0")
                        > 0) {
                    found.add(table);
                }
            }
        }
        return found;
    }
}
