package dev.ringfence.apps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ringfence.harness.HarnessLifecycle;
import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.RingfenceClient.Answer;
import dev.ringfence.security.Roles;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.RunAsClient;
import org.jboss.arquillian.junit5.container.annotation.ArquillianTest;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who gets in, what a stranger learns, and what refusals look like, on the real server. */
@ArquillianTest
@RunAsClient
class ApiSecurityIT {

    private static final String NOBODY = "rfk_0000000000000000000000000000000000000000000";

    @ArquillianResource
    private URI base;

    private RingfenceClient admin;

    @Deployment
    static WebArchive war() {
        return HarnessLifecycle.war().addClass(AuthenticationProbe.class);
    }

    @BeforeEach
    void connect() {
        admin = new RingfenceClient(base.resolve("api/v1/"), HarnessLifecycle.ADMIN_KEY);
    }

    @Test
    @Tag("SC-1")
    void everyOperationAsksForAKey() {
        for (Operation operation : Operation.withKey()) {
            for (String key : List.of("", NOBODY)) {
                Answer answer = send(operation, "00000000-0000-4000-8000-000000000000", key);
                assertThat(answer.status())
                        .as("%s with key '%s'", operation, key)
                        .isEqualTo(401);
                assertThat(answer.code()).isEqualTo("UNAUTHENTICATED");
            }
        }
    }

    @Test
    @Tag("SC-1")
    void everyOperationHidesTheApplicationsOfOthers() {
        String victim = admin.createApp("victim");
        String stranger = admin.createKey(admin.createApp("stranger"), "all", "client", "operator", "auditor", "admin");
        String nowhere = "00000000-0000-4000-8000-000000000000";
        for (Operation operation : Operation.withKey()) {
            if (!operation.ofAnApp()) {
                continue;
            }
            Answer foreign = send(operation, victim, stranger);
            assertThat(foreign.status()).as(operation.toString()).isEqualTo(404);
            assertThat(foreign.code()).isEqualTo("NOT_FOUND");
            Answer absent = send(operation, nowhere, stranger);
            assertThat(withoutIds(foreign)).as(operation.toString()).isEqualTo(withoutIds(absent));
            assertThat(send(operation, nowhere, HarnessLifecycle.ADMIN_KEY).status())
                    .isEqualTo(404);
        }
    }

    @Test
    @Tag("SC-1")
    void everyOperationAsksForItsRoles() {
        String app = admin.createApp("roles");
        for (String role : Roles.ALL) {
            String key = admin.createKey(app, role, role);
            for (Operation operation : Operation.withKey()) {
                if (!operation.roles().contains(role)) {
                    Answer answer = send(operation, app, key);
                    assertThat(answer.status()).as("%s as %s", operation, role).isEqualTo(403);
                    assertThat(answer.code()).isEqualTo("FORBIDDEN");
                }
            }
        }
    }

    @Test
    @Tag("SC-1")
    void anApplicationsAdminStaysInItsApplication() {
        String app = admin.createApp("bounded");
        RingfenceClient own = admin.as(admin.createKey(app, "admin", "admin"));

        assertThat(own.post("apps", RingfenceClient.object().put("name", "more"))
                        .status())
                .isEqualTo(403);
        assertThat(own.get("inbox-consumers").status()).isEqualTo(403);
        assertThat(own.get("apps").expect(200).body().path("items"))
                .hasSize(1)
                .allSatisfy(item -> assertThat(item.path("id").asText()).isEqualTo(app));
        String issued = own.createKey(app, "second", "admin");
        assertThat(own.as(issued).get("apps").expect(200).body().path("items")).hasSize(1);
    }

    @Test
    @Tag("SC-1")
    void aSecretIsShownOnceAndRefusedAfterRevocation() {
        String app = admin.createApp("revocation");
        ObjectNode request = RingfenceClient.object().put("name", "k");
        request.putArray("roles").add("client");
        JsonNode issued =
                admin.post("apps/" + app + "/keys", request).expect(201).body();
        RingfenceClient client = admin.as(issued.path("secret").asText());
        client.get("apps/" + app).expect(200);

        Answer listed = admin.get("apps/" + app + "/keys").expect(200);
        assertThat(listed.text())
                .doesNotContain(issued.path("secret").asText())
                .contains(issued.path("id").asText());
        admin.delete("apps/" + app + "/keys/" + issued.path("id").asText()).expect(204);

        assertThat(client.get("apps/" + app).status()).isEqualTo(401);
        admin.delete("apps/" + app + "/keys/" + issued.path("id").asText()).expect(204);
        assertThat(admin.get("apps/" + app + "/keys")
                        .body()
                        .at("/items/0/revokedAt")
                        .asText())
                .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3,6}Z");
        assertThat(admin.delete("apps/" + app + "/keys/" + app).status()).isEqualTo(404);
    }

    @Test
    @Tag("SC-3")
    void problemsAreDocumentsWithStableFields() {
        Answer answer = admin.post("apps", RingfenceClient.object().put("nam", "x"));

        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.header("Content-Type")).contains("application/problem+json");
        assertThat(answer.header("X-Content-Type-Options")).contains("nosniff");
        assertThat(answer.header("Cache-Control")).contains("no-store");
        Set<String> names = new TreeSet<>();
        answer.body().fieldNames().forEachRemaining(names::add);
        assertThat(names).containsExactly("code", "correlationId", "detail", "errors", "status", "title", "type");
        assertThat(answer.code()).isEqualTo("INVALID");
        assertThat(answer.body().path("errors").findValuesAsText("pointer")).containsExactly("/nam", "/name");
        assertThat(answer.body().path("errors").findValuesAsText("code")).containsExactly("UNKNOWN_FIELD", "REQUIRED");
    }

    @ParameterizedTest
    @Tag("SC-3")
    @CsvSource(
            delimiter = '|',
            value = {
                "POST | apps | application/json | {\"name\":\"a\",\"name\":\"b\"} | 400 | MALFORMED_JSON",
                "POST | apps | application/json | {\"name\":\"a | 400 | MALFORMED_JSON",
                "POST | apps | application/json | {\"name\":\"\\u0000\"} | 422 | INVALID",
                "POST | apps | text/plain | {\"name\":\"a\"} | 415 | UNSUPPORTED_MEDIA_TYPE",
                "DELETE | apps | application/json | x | 405 | METHOD_NOT_ALLOWED",
                "GET | nothing/here | application/json | x | 404 | NOT_FOUND",
                "GET | apps?limit=201 | application/json | x | 422 | INVALID",
                "GET | apps?cursor=%C3%A4 | application/json | x | 422 | INVALID_CURSOR",
                "GET | apps/not-a-uuid | application/json | x | 404 | NOT_FOUND",
            })
    void refusalsHaveTheirOwnCode(String method, String path, String type, String body, int status, String code) {
        HttpRequest.Builder request = request(path, HarnessLifecycle.ADMIN_KEY)
                .method(method, method.equals("POST") ? BodyPublishers.ofString(body) : BodyPublishers.noBody());
        if (method.equals("POST")) {
            request.header("Content-Type", type);
        }
        Answer answer = RingfenceClient.send(request.build());

        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.code()).isEqualTo(code);
        assertThat(answer.header("Content-Type")).contains("application/problem+json");
    }

    @ParameterizedTest
    @Tag("SC-3")
    @ValueSource(ints = {(1 << 20) + 1, 3 << 20})
    void bodiesAreBoundedWithAndWithoutALength(int size) {
        for (BodyPublisher body : bodies(size)) {
            Answer answer = RingfenceClient.send(app(body));
            assertThat(answer.status()).isEqualTo(413);
            assertThat(answer.code()).isEqualTo("BODY_TOO_LARGE");
        }
    }

    /** Past its own limit the server refuses by itself, and may close the connection while the client still sends. */
    @Test
    @Tag("SC-3")
    void hugeBodiesAreNotRead() {
        for (BodyPublisher body : bodies(20 << 20)) {
            try {
                assertThat(RingfenceClient.send(app(body)).status()).isIn(400, 413);
            } catch (UncheckedIOException cut) {
                assertThat(cut).hasCauseInstanceOf(IOException.class);
            }
        }
    }

    private static List<BodyPublisher> bodies(int size) {
        byte[] body = new byte[size];
        return List.of(
                BodyPublishers.ofByteArray(body), BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body)));
    }

    private HttpRequest app(BodyPublisher body) {
        return request("apps", HarnessLifecycle.ADMIN_KEY)
                .header("Content-Type", "application/json")
                .POST(body)
                .build();
    }

    @Test
    @Tag("LC-3")
    void aRequestsStartIsCapturedBeforeItsAuthentication() {
        Answer answer =
                RingfenceClient.send(request("apps", HarnessLifecycle.ADMIN_KEY).build());

        Instant captured =
                Instant.parse(answer.header(AuthenticationProbe.CAPTURED).orElseThrow());
        Instant authenticating =
                Instant.parse(answer.header(AuthenticationProbe.BEGUN).orElseThrow());
        assertThat(answer.status()).isEqualTo(200);
        assertThat(captured).isBeforeOrEqualTo(authenticating);
    }

    @Test
    @Tag("EV-4")
    void aCorrelationIdIsContinuedOnlyWhereItProvesItself() {
        String app = admin.createApp("correlation");
        String other = admin.createApp("other");
        String issued = correlationId("apps/" + app, null);

        assertThat(issued).matches("cor_[A-Za-z0-9_-]{44}");
        assertThat(correlationId("apps/" + app, issued)).isEqualTo(issued);
        assertThat(correlationId("apps/" + other, issued)).isNotEqualTo(issued);
        String forged = issued.substring(0, 47) + (issued.endsWith("A") ? "B" : "A");
        assertThat(correlationId("apps/" + app, forged)).isNotEqualTo(forged).isNotEqualTo(issued);
    }

    @Test
    @Tag("SC-2")
    void anApplicationIsChangedAndNeverShowsItsErasureSecret() {
        String app = admin.createApp("changing");
        ObjectNode erasure = RingfenceClient.object();
        erasure.putObject("remoteErasure").put("url", "https://8.8.8.8/erase").put("secret", "canary-secret-value");

        Answer changed = patch(app, erasure.put("minSkewBoundMs", 250));
        assertThat(changed.expect(200).text()).contains("https://8.8.8.8/erase").doesNotContain("canary");
        assertThat(admin.get("apps/" + app).text()).doesNotContain("canary").contains("\"minSkewBoundMs\":250");
        erasure.withObject("remoteErasure").put("url", "http://127.0.0.1/erase");
        assertThat(patch(app, erasure).code()).isEqualTo("DESTINATION_NOT_ALLOWED");
        erasure.withObject("remoteErasure").put("secret", "whsec_canary, not base64");
        Answer unusable = patch(app, erasure);
        assertThat(unusable.body().at("/errors/0/pointer").asText()).isEqualTo("/remoteErasure/secret");
        assertThat(unusable.text()).doesNotContain("canary");
        assertThat(patch(app, RingfenceClient.object().putNull("remoteErasure"))
                        .expect(200)
                        .text())
                .doesNotContain("erase\"");
    }

    @Test
    void disablingAsksForAReason() {
        String app = admin.createApp("disabled");
        Answer without = patch(app, RingfenceClient.object().put("enabled", false));

        assertThat(without.status()).isEqualTo(422);
        assertThat(without.body().at("/errors/0/pointer").asText()).isEqualTo("/reason");
        Answer disabled =
                patch(app, RingfenceClient.object().put("enabled", false).put("reason", "gone"));
        assertThat(disabled.expect(200).body().path("enabled").asBoolean()).isFalse();
        await("what was queued is cancelled").atMost(Duration.ofMinutes(1)).until(() -> {
            Answer enabled = patch(app, RingfenceClient.object().put("enabled", true));
            assertThat(enabled.status() == 200 || enabled.code().equals("CANCELLATION_IN_PROGRESS"))
                    .as(enabled.text())
                    .isTrue();
            return enabled.body().path("enabled").asBoolean();
        });
    }

    @Test
    void listsPageByCursor() {
        for (int i = 0; i < 3; i++) {
            admin.createApp("page " + i);
        }
        Set<String> seen = new TreeSet<>();
        String cursor = "";
        int pages = 0;
        do {
            JsonNode page = admin.get("apps?limit=2" + cursor).expect(200).body();
            page.path("items")
                    .forEach(item ->
                            assertThat(seen.add(item.path("id").asText())).isTrue());
            cursor = page.path("next").isNull()
                    ? ""
                    : "&cursor=" + page.path("next").asText();
            pages++;
        } while (!cursor.isEmpty());
        assertThat(seen).hasSizeGreaterThanOrEqualTo(3);
        assertThat(pages).isEqualTo((seen.size() + 1) / 2);
    }

    /** Payara refuses it before any application sees it, with a 400 of its own. */
    @Test
    @Tag("SC-3")
    void aNulInThePathIsRefused() {
        Answer answer = RingfenceClient.send(
                request("apps/x%00y", HarnessLifecycle.ADMIN_KEY).build());
        assertThat(answer.status()).as(answer.text()).isIn(422, 400);
        assertThat(answer.text()).doesNotContain("Exception");
        if (answer.status() == 422) {
            assertThat(answer.code()).isEqualTo("INVALID");
        }
    }

    private Answer patch(String app, JsonNode change) {
        return RingfenceClient.send(request("apps/" + app, HarnessLifecycle.ADMIN_KEY)
                .header("Content-Type", "application/merge-patch+json")
                .method("PATCH", BodyPublishers.ofString(change.toString()))
                .build());
    }

    private String correlationId(String path, String sent) {
        HttpRequest.Builder request = request(path, HarnessLifecycle.ADMIN_KEY);
        if (sent != null) {
            request.header("Ringfence-Correlation-Id", sent);
        }
        return RingfenceClient.send(request.build())
                .header("Ringfence-Correlation-Id")
                .orElseThrow();
    }

    private Answer send(Operation operation, String app, String key) {
        HttpRequest.Builder request = request(operation.path(app), key).header("Content-Type", "application/json");
        return RingfenceClient.send(request.method(operation.method(), BodyPublishers.ofString("{}"))
                .build());
    }

    private HttpRequest.Builder request(String path, String key) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(base.resolve("api/v1/").resolve(path));
        return key.isEmpty() ? request : request.header("Authorization", "Bearer " + key);
    }

    private static JsonNode withoutIds(Answer problem) {
        return ((ObjectNode) problem.body().deepCopy()).without("correlationId");
    }
}
