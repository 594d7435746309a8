package dev.ringfence.apps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ringfence.harness.HarnessLifecycle;
import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.RingfenceClient.Answer;
import dev.ringfence.harness.TestDatabase;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.RunAsClient;
import org.jboss.arquillian.junit5.container.annotation.ArquillianTest;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A request is as old as its arrival, however long its authentication takes (LC-3): each test holds one request inside the real server's
 * authentication, lets the world move on until requests that begin now are judged otherwise, and only then lets it continue.
 */
@ArquillianTest
@RunAsClient
class SlowAuthenticationIT {

    private static final Duration PATIENCE = Duration.ofSeconds(45);

    @ArquillianResource
    private URI base;

    private final TestDatabase database = HarnessLifecycle.managedDatabase();
    private final String gate = UUID.randomUUID().toString();
    private final String tenant = "shop-" + gate;
    private RingfenceClient admin;
    private RingfenceClient client;
    private String secret;
    private String app;

    @Deployment
    static WebArchive war() {
        return HarnessLifecycle.war()
                .addClass(AuthenticationGate.class)
                .addClass(AuthenticationGate.class.getName() + "$Gate");
    }

    @BeforeEach
    void register() {
        admin = new RingfenceClient(base.resolve("api/v1/"), HarnessLifecycle.ADMIN_KEY);
        app = admin.createApp("slow");
        secret = admin.createKey(app, "client", "client");
        client = admin.as(secret);
    }

    @Test
    @Tag("LC-3")
    @Tag("LC-7")
    void a_recording_that_began_before_the_boundary_stays_old_while_it_is_authenticated() {
        String epoch = client.enrol(app, tenant);
        CompletableFuture<Answer> held = held(events(tenant), recording(epoch, "old"));
        database.execute(
                "update tenant_lifecycle set last_redacted_at = clock_timestamp() where tenant = '" + tenant + "'");
        await("a recording that begins now is later than the boundary")
                .until(() ->
                        client.post(events(tenant), recording(epoch, "young")).status() == 202);

        Answer late = released(held);

        assertThat(late.status()).as(late.text()).isEqualTo(409);
        assertThat(late.code()).isEqualTo("REQUEST_BEFORE_REDACTION");
        assertThat(number("select count(*) from outbox_events o where o.occurrence_key = 'old' and " + ofApp("o")))
                .isZero();
    }

    @Test
    @Tag("LC-3")
    @Tag("LC-4")
    @Tag("LC-7")
    void an_enrolment_that_began_before_the_boundary_stays_old_while_it_is_authenticated() {
        String other = "other-" + gate;
        client.enrol(app, tenant);
        client.enrol(app, other);
        CompletableFuture<Answer> held = held("apps/" + app + "/tenants/" + tenant + "/enrolment", session());
        database.execute("update tenant_lifecycle set phase = 'REDACTED', epoch = gen_random_uuid(),"
                + " last_redacted_at = clock_timestamp() where tenant in ('" + tenant + "', '" + other + "')");
        await("an enrolment that begins now is later than the boundary")
                .until(() -> client.post("apps/" + app + "/tenants/" + other + "/enrolment", session())
                                .status()
                        == 200);

        Answer late = released(held);

        assertThat(late.status()).as(late.text()).isEqualTo(409);
        assertThat(late.code()).isEqualTo("REQUEST_BEFORE_REDACTION");
        assertThat(client.get("apps/" + app + "/tenants/" + tenant)
                        .expect(200)
                        .body()
                        .path("phase")
                        .asText())
                .isEqualTo("REDACTED");
    }

    @Test
    @Tag("LC-2")
    @Tag("LC-4")
    @Tag("LC-7")
    void whatever_began_before_a_redaction_and_is_authenticated_after_it_stays_refused() {
        String unknown = "unknown-" + gate;
        String epoch = client.enrol(app, tenant);
        CompletableFuture<Answer> enrolment = held(gate + 1, enrolment(tenant), session());
        CompletableFuture<Answer> first = held(gate + 2, enrolment(unknown), session());
        CompletableFuture<Answer> recorded = held(gate + 3, events(tenant), recording(epoch, "old"));
        redacted(tenant);
        redacted(unknown);
        for (String one : List.of(tenant, unknown)) {
            assertThat(phase(one)).isEqualTo("REDACTED");
        }
        await("an enrolment that begins now is later than the boundaries")
                .until(() -> client.post(enrolment(unknown), session()).status() == 200);

        refusedAsOld(released(gate + 1, enrolment));
        assertThat(phase(tenant)).as("nobody enrolled it").isEqualTo("REDACTED");
        refusedAsOld(released(gate + 2, first));
        Answer stale = released(gate + 3, recorded);
        assertThat(stale.code()).as(stale.text()).isEqualTo("TENANT_REDACTED");
        assertThat(number("select count(*) from outbox_events o where " + ofApp("o")))
                .isZero();
    }

    private void redacted(String of) {
        JsonNode asked = admin.post(
                        "apps/" + app + "/tenants/" + of + "/redactions",
                        RingfenceClient.object().put("reason", "asked for"))
                .expect(202)
                .body();
        await("redaction of " + of)
                .atMost(PATIENCE)
                .until(() -> admin.get("apps/" + app + "/redactions/"
                                + asked.path("id").asText())
                        .body()
                        .path("status")
                        .asText()
                        .equals("DONE"));
    }

    private String phase(String of) {
        return client.get("apps/" + app + "/tenants/" + of)
                .expect(200)
                .body()
                .path("phase")
                .asText();
    }

    private String enrolment(String of) {
        return "apps/" + app + "/tenants/" + of + "/enrolment";
    }

    private static void refusedAsOld(Answer late) {
        assertThat(late.status()).as(late.text()).isEqualTo(409);
        assertThat(late.code()).isEqualTo("REQUEST_BEFORE_REDACTION");
    }

    @Test
    @Tag("LC-3")
    @Tag("RC-3")
    void an_event_keeps_the_start_of_its_request_and_not_the_end_of_its_authentication() {
        String epoch = client.enrol(app, tenant);
        CompletableFuture<Answer> held = held(events(tenant), recording(epoch, "held"));
        String whileHeld = text("select clock_timestamp()::text");
        await("a request that begins now starts later").until(() -> {
            String key = UUID.randomUUID().toString();
            client.post(events(tenant), recording(epoch, key)).expect(202);
            return startedAfter(key, whileHeld);
        });

        released(held).expect(202);

        assertThat(startedAfter("held", whileHeld)).as("start of the request").isFalse();
        assertThat(number("select count(*) from outbox_events o where o.occurrence_key = 'held' and recorded_at > '"
                        + whileHeld + "' and " + ofApp("o")))
                .as("recorded after it was let go")
                .isOne();
    }

    /** What may be changes with time, unlike the request's age: it is read when the request is carried out. */
    @Test
    @Tag("SC-1")
    void an_application_or_a_key_that_ended_meanwhile_is_refused() {
        String epoch = client.enrol(app, tenant);
        CompletableFuture<Answer> held = held(events(tenant), recording(epoch, "disabled"));
        change(RingfenceClient.object().put("enabled", false).put("reason", "closed"));
        Answer disabled = released(held);
        assertThat(disabled.status()).as(disabled.text()).isEqualTo(409);
        assertThat(disabled.code()).isEqualTo("APP_DISABLED");

        await("what was queued is cancelled")
                .atMost(PATIENCE)
                .until(() ->
                        changed(RingfenceClient.object().put("enabled", true)).status() == 200);
        String second = UUID.randomUUID().toString();
        CompletableFuture<Answer> again = held(second, events(tenant), recording(epoch, "revoked"));
        JsonNode keys = admin.get("apps/" + app + "/keys").expect(200).body();
        admin.delete("apps/" + app + "/keys/" + keys.at("/items/0/id").asText()).expect(204);
        assertThat(released(second, again).status()).isEqualTo(401);
        assertThat(number("select count(*) from outbox_events o where " + ofApp("o")))
                .isZero();
    }

    private CompletableFuture<Answer> held(String path, JsonNode body) {
        return held(gate, path, body);
    }

    /** Sends the request and returns when the server is authenticating it. */
    private CompletableFuture<Answer> held(String name, String path, JsonNode body) {
        HttpRequest request = request(path)
                .header(AuthenticationGate.HOLD, name)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body.toString()))
                .build();
        CompletableFuture<Answer> answer = CompletableFuture.supplyAsync(() -> RingfenceClient.send(request));
        RingfenceClient.send(request("clock")
                        .header(AuthenticationGate.ARRIVED, name)
                        .build())
                .expect(200);
        assertThat(answer).isNotDone();
        return answer;
    }

    private Answer released(CompletableFuture<Answer> answer) {
        return released(gate, answer);
    }

    private Answer released(String name, CompletableFuture<Answer> answer) {
        assertThat(answer).as("still being authenticated").isNotDone();
        RingfenceClient.send(
                request("clock").header(AuthenticationGate.OPEN, name).build());
        return answer.join();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(base.resolve("api/v1/").resolve(path))
                .header("Authorization", "Bearer " + secret);
    }

    private void change(ObjectNode change) {
        changed(change).expect(200);
    }

    private Answer changed(ObjectNode change) {
        return RingfenceClient.send(HttpRequest.newBuilder(base.resolve("api/v1/apps/" + app))
                .header("Authorization", "Bearer " + HarnessLifecycle.ADMIN_KEY)
                .header("Content-Type", "application/merge-patch+json")
                .method("PATCH", BodyPublishers.ofString(change.toString()))
                .build());
    }

    private String events(String of) {
        return "apps/" + app + "/tenants/" + of + "/events";
    }

    private static ObjectNode session() {
        ObjectNode body = RingfenceClient.object();
        body.putObject("session")
                .put("id", "s-1")
                .put(
                        "authenticatedAt",
                        Instant.now().truncatedTo(ChronoUnit.MILLIS).toString());
        return body;
    }

    private static ObjectNode recording(String epoch, String occurrence) {
        ObjectNode body = RingfenceClient.object().put("epoch", epoch);
        ObjectNode event = body.putArray("events")
                .addObject()
                .put("name", "shop.order.placed.v1")
                .put("aggregateType", "order")
                .put("aggregateId", "o-1")
                .put("occurredAt", "2026-06-03T10:00:00.123Z")
                .put("occurrenceKey", occurrence);
        event.putObject("actor").put("type", "system");
        event.putObject("payload").put("total", 12);
        return body;
    }

    private boolean startedAfter(String occurrence, String moment) {
        return number("select count(*) from outbox_events o where o.occurrence_key = '" + occurrence
                        + "' and request_started_at > '" + moment + "' and " + ofApp("o"))
                == 1;
    }

    private String ofApp(String alias) {
        return alias + ".app_id = '" + app + "'";
    }

    private long number(String sql) {
        return database.number(sql);
    }

    private String text(String sql) {
        try (var connection = database.connect();
                var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        } catch (java.sql.SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }
}
