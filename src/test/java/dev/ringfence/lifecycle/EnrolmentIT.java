package dev.ringfence.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ringfence.fence.FenceKey;
import dev.ringfence.harness.HarnessLifecycle;
import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.RingfenceClient.Answer;
import dev.ringfence.harness.TestDatabase;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.RunAsClient;
import org.jboss.arquillian.junit5.container.annotation.ArquillianTest;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Enrolment over HTTP in the real server; redaction is played by SQL. */
@ArquillianTest
@RunAsClient
class EnrolmentIT {

    private static final String NOT_GRANTED =
            "select count(*) from pg_locks where locktype = 'advisory' and not granted"
                    + " and database = (select oid from pg_database where datname = current_database())";

    private static final String KILL_WAITERS =
            NOT_GRANTED.replace("count(*)", "count(pg_terminate_backend(pid, 5000))");

    @ArquillianResource
    private URI base;

    private final TestDatabase database = HarnessLifecycle.managedDatabase();
    private final String tenant = "shop-" + UUID.randomUUID();
    private RingfenceClient admin;
    private RingfenceClient client;
    private String app;

    @Deployment
    static WebArchive war() {
        return HarnessLifecycle.war();
    }

    @BeforeEach
    void register() {
        admin = new RingfenceClient(base.resolve("api/v1/"), HarnessLifecycle.ADMIN_KEY);
        app = admin.createApp("enrolment");
        client = admin.as(admin.createKey(app, "client", "client"));
    }

    @AfterEach
    void no_fence_is_left() {
        assertThat(database.number("select count(*) from pg_locks where locktype = 'advisory' and database ="
                        + " (select oid from pg_database where datname = current_database()) and granted and objsubid = 1"
                        + " and (classid::bigint << 32 | objid::bigint) = " + fence()))
                .isZero();
    }

    @Test
    @Tag("LC-4")
    @Tag("LC-8")
    void a_new_tenant_gets_an_epoch_and_keeps_it() {
        assertThat(client.get(path("")).status()).isEqualTo(404);

        Answer first = enrol(body()).expect(200);

        assertThat(UUID.fromString(first.body().path("epoch").asText()).version())
                .isEqualTo(4);
        assertThat(first.body().path("phase").asText()).isEqualTo("ACTIVE");
        assertThat(enrol(body()).expect(200).body()).isEqualTo(first.body());
        assertThat(client.get(path("")).expect(200).body().path("epoch"))
                .isEqualTo(first.body().path("epoch"));
        assertThat(client.get(path("")).body().path("tenant").asText()).isEqualTo(tenant);
    }

    @Test
    @Tag("LC-4")
    @Tag("FN-2")
    void ten_first_enrolments_at_once_make_one_epoch() {
        List<CompletableFuture<Answer>> answers = IntStream.range(0, 10)
                .mapToObj(i -> CompletableFuture.supplyAsync(() -> enrol(body())))
                .toList();

        assertThat(answers.stream()
                        .map(answer ->
                                answer.join().expect(200).body().path("epoch").asText()))
                .hasSize(10)
                .containsOnly(epoch());
    }

    @Test
    @Tag("LC-4")
    @Tag("LC-5")
    void a_redacted_tenant_is_enrolled_only_by_what_began_after_the_boundary() {
        String before = enrol(body()).expect(200).body().path("epoch").asText();
        Instant boundary = redact();

        assertThat(enrol(body(boundary.minusSeconds(60))
                                .put("requestStartedAt", boundary.toString())
                                .put("skewBoundMs", 0))
                        .code())
                .isEqualTo("REQUEST_BEFORE_REDACTION");
        assertThat(enrol(body(boundary)).code()).isEqualTo("SESSION_BEFORE_REDACTION");
        assertThat(client.get(path("")).body().path("phase").asText()).isEqualTo("REDACTED");

        awaitSkewAfter(boundary);
        String after = enrol(body()).expect(200).body().path("epoch").asText();

        assertThat(after).isNotEqualTo(before);
        assertThat(Instant.parse(
                        client.get(path("")).body().path("lastRedactedAt").asText()))
                .isEqualTo(boundary);
    }

    @Test
    @Tag("LC-2")
    void a_first_enrolment_that_began_before_a_redaction_stays_refused() {
        Instant boundary = Instant.now().plusSeconds(3600).truncatedTo(ChronoUnit.MICROS);
        database.execute("insert into tenant_lifecycle (app_id, tenant_hash, fence_key, epoch, phase, last_redacted_at,"
                + " created_at, updated_at) values ('" + app + "', '\\x"
                + HexFormat.of().formatHex(FenceKey.hash(UUID.fromString(app), tenant)) + "', " + fence()
                + ", gen_random_uuid(), 'REDACTED', '" + boundary + "', now(), now())");

        assertThat(enrol(body()).code()).isEqualTo("REQUEST_BEFORE_REDACTION");
        assertThat(client.get(path("")).body().path("phase").asText()).isEqualTo("REDACTED");
    }

    @Test
    @Tag("LC-2")
    void reading_and_recording_make_no_tenant() {
        client.get(path(""));
        ObjectNode event = RingfenceClient.object()
                .put("name", "orders.order.placed.v1")
                .put("aggregateType", "order")
                .put("aggregateId", "1")
                .put("occurredAt", "2026-06-03T10:00:00Z");
        event.putObject("actor").put("type", "system");
        event.putObject("payload");

        assertThat(client.record(app, tenant, UUID.randomUUID().toString(), List.of(event))
                        .code())
                .isEqualTo("STALE_EPOCH");
        assertThat(database.number("select count(*) from tenant_lifecycle where app_id = '" + app + "'"))
                .isZero();
    }

    /** The request is in the server when the redaction runs, and goes on after it: it stays old. */
    @Test
    @Tag("LC-3")
    @Tag("LC-7")
    @Tag("FN-4")
    void a_request_that_straddles_the_boundary_is_refused() throws Exception {
        enrol(body()).expect(200);
        CompletableFuture<Answer> straddling;
        try (Connection redaction = database.connect()) {
            lock(redaction, "pg_advisory_lock");
            straddling = CompletableFuture.supplyAsync(() -> enrol(body()));
            await().until(() -> database.number(NOT_GRANTED) == 1);
            redact();
        }
        assertThat(straddling.join().code()).isEqualTo("REQUEST_BEFORE_REDACTION");
    }

    /** The fast way needs the shared fence, which the test holds as well; the slow one has to wait. */
    @Test
    @Tag("LC-4")
    void a_key_that_was_revoked_while_the_request_waited_makes_no_tenant_active() throws Exception {
        CompletableFuture<Answer> waiting;
        try (Connection holder = database.connect()) {
            lock(holder, "pg_advisory_lock_shared");
            waiting = CompletableFuture.supplyAsync(() -> enrol(body()));
            await().until(() -> database.number(NOT_GRANTED) == 1);
            database.execute("update api_keys set revoked_at = now() where app_id = '" + app + "'");
        }
        assertThat(waiting.join().status()).isEqualTo(403);
        assertThat(database.number("select count(*) from tenant_lifecycle where app_id = '" + app + "'"))
                .isZero();
    }

    @Test
    @Tag("LC-8")
    void an_active_tenant_needs_no_exclusive_fence() throws Exception {
        enrol(body()).expect(200);
        try (Connection holder = database.connect()) {
            lock(holder, "pg_advisory_lock_shared");
            enrol(body()).expect(200);
        }
    }

    @Test
    @Tag("FN-3")
    void a_fence_that_is_not_granted_in_time_is_an_answer() throws Exception {
        try (Connection holder = database.connect()) {
            lock(holder, "pg_advisory_lock_shared");
            Answer answer = enrol(body());
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.code()).isEqualTo("FENCE_TIMEOUT");
        }
        enrol(body()).expect(200);
    }

    @Test
    @Tag("FN-5")
    void a_fence_session_that_is_killed_while_it_waits_is_an_answer_and_is_not_pooled() throws Exception {
        CompletableFuture<Answer> waiting;
        try (Connection holder = database.connect()) {
            lock(holder, "pg_advisory_lock_shared");
            waiting = CompletableFuture.supplyAsync(() -> enrol(body()));
            await().until(() -> database.number(KILL_WAITERS) == 1);
            assertThat(waiting.join().code()).isEqualTo("FENCE_TIMEOUT");
        }
        for (int i = 0; i < 5; i++) {
            enrol(body()).expect(200);
            awaitSkewAfter(redact());
        }
    }

    @Test
    @Tag("LC-5")
    void the_callers_own_time_needs_its_bound_and_may_not_lie_ahead() {
        Instant now = Instant.now();
        Answer half = enrol(body().put("requestStartedAt", now.toString())).expect(422);
        assertThat(half.body().at("/errors/0/pointer").asText()).isEqualTo("/skewBoundMs");

        Answer ahead = enrol(
                body().put("requestStartedAt", now.plusSeconds(5).toString()).put("skewBoundMs", 60_000));
        assertThat(ahead.status()).isEqualTo(503);
        assertThat(ahead.code()).isEqualTo("CLOCK_BOUND_UNAVAILABLE");
        enrol(body().put("requestStartedAt", now.minusSeconds(5).toString()).put("skewBoundMs", 0))
                .expect(200);
    }

    @Test
    void the_right_role_and_a_possible_name_are_needed() {
        RingfenceClient auditor = admin.as(admin.createKey(app, "auditor", "auditor"));
        assertThat(auditor.post(path("/enrolment"), body()).code()).isEqualTo("FORBIDDEN");
        enrol(body()).expect(200);
        auditor.get(path("")).expect(200);

        assertThat(client.post("apps/" + app + "/tenants/a%07b/enrolment", body())
                        .status())
                .isEqualTo(422);
        Answer unknown = enrol(body().put("epoch", "x")).expect(422);
        assertThat(unknown.body().at("/errors/0/code").asText()).isEqualTo("UNKNOWN_FIELD");
        String city = "L%C3%A4den%20%E6%9D%B1%E4%BA%AC";
        client.post("apps/" + app + "/tenants/" + city + "/enrolment", body()).expect(200);
        assertThat(client.get("apps/" + app + "/tenants/" + city)
                        .body()
                        .path("tenant")
                        .asText())
                .isEqualTo("Läden 東京");
    }

    @Test
    @Tag("LC-6")
    void the_clock_tells_how_far_it_may_be_off() {
        Answer clock = client.get("clock").expect(200);

        assertThat(clock.body().path("status").asText()).isEqualTo("MEASURED");
        assertThat(clock.body().path("boundMs").asDouble())
                .isGreaterThanOrEqualTo(Math.abs(clock.body().path("skewMs").asDouble()));
        assertThat(Instant.parse(clock.body().path("databaseTime").asText())).isBefore(Instant.now());
    }

    private Answer enrol(ObjectNode body) {
        return client.post(path("/enrolment"), body);
    }

    private String path(String rest) {
        return "apps/" + app + "/tenants/" + tenant + rest;
    }

    private static ObjectNode body() {
        return body(Instant.now());
    }

    private static ObjectNode body(Instant authenticatedAt) {
        ObjectNode body = RingfenceClient.object();
        body.putObject("session").put("id", "session-1").put("authenticatedAt", authenticatedAt.toString());
        return body;
    }

    private String epoch() {
        return client.get(path("")).expect(200).body().path("epoch").asText();
    }

    private long fence() {
        return FenceKey.of(UUID.fromString(app), tenant).value();
    }

    private void lock(Connection connection, String function) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("select " + function + "(" + fence() + ")");
        }
    }

    /** What a redaction leaves of the row; answers the boundary. */
    private Instant redact() {
        database.execute(
                "update tenant_lifecycle set phase = 'REDACTED', tenant = null, last_redacted_at = clock_timestamp()"
                        + " where fence_key = " + fence());
        return Instant.parse(client.get(path("")).body().path("lastRedactedAt").asText());
    }

    /** A request counts from its arrival less the measured bound, which has to be later than the boundary. */
    private void awaitSkewAfter(Instant boundary) {
        await().until(() -> {
            double bound = client.get("clock").body().path("boundMs").asDouble();
            return Instant.now().minusNanos((long) (bound * 1_000_000)).isAfter(boundary.plusMillis(1));
        });
    }
}
