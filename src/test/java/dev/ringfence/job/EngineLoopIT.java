package dev.ringfence.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.delivery.DeliveryFixture;
import dev.ringfence.harness.TestReceiver;
import dev.ringfence.harness.TestReceiver.Answer;
import dev.ringfence.harness.TestReceiver.Request;
import dev.ringfence.signing.StandardWebhooks;
import dev.ringfence.signing.WebhookSecret;
import dev.ringfence.time.NanoClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The engine without a server around it, against PostgreSQL and over real sockets. */
class EngineLoopIT {
    private static DeliveryFixture fixture;

    @BeforeAll
    static void open() {
        fixture = new DeliveryFixture();
    }

    @AfterAll
    static void close() {
        fixture.close();
    }

    private static long count(long tenant, String state) {
        return fixture.database.number("select count(*) from ringfence.deliveries where tenant_id = " + tenant
                + " and state = '" + state + "'");
    }

    @Test
    @Tag("AT-1")
    void what_is_due_arrives_once() throws Exception {
        long tenant = fixture.tenant("once");
        try (TestReceiver receiver = TestReceiver.start()) {
            for (int i = 0; i < 5; i++) {
                UUID subscription = fixture.subscription(
                        tenant, "AT_LEAST_ONCE", 6, receiver.url("/hook/" + i).toString(), 32);
                fixture.deliveries(tenant, subscription, 100, Instant.now().minusSeconds(1));
            }
            try (EngineLoop engine = new EngineLoop(fixture, Map.of())) {
                Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> count(tenant, "delivered") == 500);
            }
            List<String> bodies =
                    receiver.requests().stream().map(TestReceiver.Request::text).toList();
            assertThat(bodies).hasSize(500).doesNotHaveDuplicates();
        }
    }

    @Test
    @Tag("AT-5")
    void a_retry_sends_the_same_bytes_under_the_same_id_with_a_new_time_and_signature() throws Exception {
        long tenant = fixture.tenant("retry");
        WebhookSecret secret = WebhookSecret.generate();
        try (TestReceiver receiver = TestReceiver.start();
                EngineLoop engine = new EngineLoop(fixture, Map.of())) {
            receiver.answering(request -> Answer.status(receiver.count() == 1 ? 503 : 200));
            UUID subscription = fixture.subscription(
                    tenant, "AT_LEAST_ONCE", 6, receiver.url("/hook").toString(), 32);
            engine.sign(fixture, subscription, secret);
            fixture.update("update subscriptions set retry_waits = '{1,1,1,1,1}' where id = ?", subscription);
            long id = fixture.deliveries(tenant, subscription, 1, Instant.now()).get(0);
            engine.feed.signal();

            Awaitility.await()
                    .atMost(Duration.ofMinutes(2))
                    .untilAsserted(
                            () -> assertThat(fixture.delivery(id, "state")).isEqualTo("delivered"));

            assertThat(fixture.ledger(id)).isEqualTo("1:UNCERTAIN/SERVER_ERROR 2:ACKNOWLEDGED");
            Request first = receiver.requests().get(0);
            Request second = receiver.requests().get(1);
            assertThat(receiver.count()).isEqualTo(2);
            assertThat(second.body()).isEqualTo(first.body());
            assertThat(second.header("webhook-id"))
                    .isEqualTo(first.header("webhook-id"))
                    .startsWith("msg_");
            assertThat(second.header("webhook-timestamp")).isNotEqualTo(first.header("webhook-timestamp"));
            for (Request request : receiver.requests()) {
                assertThat(request.header("webhook-signature"))
                        .isEqualTo(StandardWebhooks.sign(
                                secret.key(),
                                request.header("webhook-id"),
                                Long.parseLong(request.header("webhook-timestamp")),
                                request.body()));
            }
        }
    }

    /** What is no number of seconds, and what is more than any clock can add. */
    @Test
    @Tag("AT-6")
    void no_retry_after_however_odd_loses_an_outcome_or_moves_the_next_attempt_out_of_its_bounds() throws Exception {
        long tenant = fixture.tenant("after");
        List<String> nonsense = List.of("-3", "+3", "1.5", "1.", "120junk", "");
        List<String> absurd = List.of("9999999999", "9223372036854775807", "9".repeat(40));
        List<String> all = Stream.concat(nonsense.stream(), absurd.stream()).toList();
        try (TestReceiver receiver = TestReceiver.start();
                EngineLoop engine = new EngineLoop(fixture, Map.of())) {
            receiver.answering(request -> Answer.status(429)
                    .with("Retry-After", all.get(Integer.parseInt(request.path().substring(1)))));
            List<Long> ids = new ArrayList<>();
            for (int i = 0; i < all.size(); i++) {
                UUID subscription = fixture.subscription(
                        tenant, "AT_LEAST_ONCE", 6, receiver.url("/" + i).toString(), 32);
                ids.addAll(fixture.deliveries(tenant, subscription, 1, Instant.now()));
            }
            engine.feed.signal();

            Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> count(tenant, "retrying") == all.size());

            for (int i = 0; i < all.size(); i++) {
                assertThat(fixture.ledger(ids.get(i))).as(all.get(i)).isEqualTo("1:UNCERTAIN/RATE_LIMITED");
                String due = nonsense.contains(all.get(i))
                        ? "next_attempt_at - updated_at = interval '60 seconds'"
                        : "next_attempt_at - cycle_started_at = interval '24 hours'";
                assertThat(fixture.delivery(ids.get(i), due)).as(all.get(i)).isEqualTo("true");
            }
        }
    }

    /** One worker, whom an endpoint could keep for ever: here its requests have no deadline and nobody gives them up. */
    @Test
    @Tag("HT-5")
    void one_worker_serves_nine_endpoints_while_the_tenth_never_answers() throws Exception {
        long tenant = fixture.tenant("nine");
        CountDownLatch never = new CountDownLatch(1);
        try (TestReceiver receiver = TestReceiver.start();
                EngineLoop engine = new EngineLoop(
                        fixture,
                        Map.of("ringfence.delivery.workers", "1"),
                        Interference.NONE,
                        new NanoClock(),
                        standing(),
                        Duration.ofDays(1))) {
            receiver.answering(request ->
                    request.path().equals("/hang") ? Answer.status(200).heldBy(never) : Answer.status(200));
            UUID hanging = fixture.subscription(
                    tenant, "AT_LEAST_ONCE", 6, receiver.url("/hang").toString(), 10);
            fixture.deliveries(tenant, hanging, 50, Instant.now().minusSeconds(60));
            engine.feed.signal();
            Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> receiver.count() == 10);
            for (int i = 0; i < 9; i++) {
                UUID healthy = fixture.subscription(
                        tenant, "AT_LEAST_ONCE", 6, receiver.url("/" + i).toString(), 10);
                fixture.deliveries(tenant, healthy, 20, Instant.now().minusSeconds(1));
            }
            engine.feed.signal();

            Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> count(tenant, "delivered") == 180);

            assertThat(receiver.requests())
                    .filteredOn(request -> request.path().equals("/hang"))
                    .as("requests of the tenth, all still open")
                    .hasSize(10);
            assertThat(fixture.database.number(
                            "select count(*) from ringfence.delivery_attempts where state = 'SENDING' and tenant_id = "
                                    + tenant))
                    .isEqualTo(10);
        } finally {
            never.countDown();
        }
    }

    private static NanoClock standing() {
        long now = new NanoClock().nanos();
        return new NanoClock() {
            @Override
            public long nanos() {
                return now;
            }
        };
    }

    @Test
    @Tag("FN-6")
    void an_answer_after_the_fence_was_lost_is_uncertain() throws Exception {
        long tenant = fixture.tenant("lost");
        CountDownLatch answer = new CountDownLatch(1);
        try (TestReceiver receiver = TestReceiver.start();
                EngineLoop engine = new EngineLoop(fixture, Map.of())) {
            receiver.answering(request -> Answer.status(200).heldBy(answer));
            UUID subscription = fixture.subscription(
                    tenant, "AT_LEAST_ONCE", 6, receiver.url("/hook").toString(), 32);
            long id = fixture.deliveries(tenant, subscription, 1, Instant.now()).get(0);
            engine.feed.signal();
            Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> receiver.count() == 1);

            assertThat(fixture.text(
                            "select pg_terminate_backend(l.pid) from pg_locks l join tenant_lifecycle t"
                                    + " on (t.fence_key >> 32) & 4294967295 = l.classid::bigint and t.fence_key & 4294967295 = l.objid::bigint"
                                    + " where l.locktype = 'advisory' and l.mode = 'ShareLock' and t.tenant_id = ?",
                            tenant))
                    .isEqualTo("t");
            answer.countDown();

            Awaitility.await()
                    .atMost(Duration.ofMinutes(2))
                    .untilAsserted(() -> assertThat(fixture.ledger(id)).isEqualTo("1:UNCERTAIN/FENCE_LOST"));
            assertThat(fixture.delivery(id, "state || ' ' || last_status")).isEqualTo("retrying 200");
        } finally {
            answer.countDown();
        }
    }

    /** It waits without an attempt, expires in time, and goes on when the secret can be read. */
    @Test
    @Tag("HT-5")
    @Tag("AT-6")
    void a_secret_that_cannot_be_read_stops_its_own_subscription_only() throws Exception {
        long tenant = fixture.tenant("sealed");
        try (TestReceiver receiver = TestReceiver.start();
                EngineLoop engine = new EngineLoop(fixture, Map.of())) {
            UUID unreadable = fixture.subscription(
                    tenant, "AT_LEAST_ONCE", 6, receiver.url("/unreadable").toString(), 32);
            engine.sign(fixture, unreadable, WebhookSecret.generate());
            fixture.update(
                    "update subscription_secrets set secret = set_byte(secret, 20, get_byte(secret, 20) # 1) where subscription_id = ?",
                    unreadable);
            UUID healthy = fixture.subscription(
                    tenant, "AT_LEAST_ONCE", 6, receiver.url("/healthy").toString(), 32);
            engine.sign(fixture, healthy, WebhookSecret.generate());
            List<Long> waiting = fixture.deliveries(tenant, unreadable, 3, Instant.now());
            fixture.deliveries(tenant, unreadable, 2, Instant.now().minus(Duration.ofHours(25)));
            fixture.deliveries(tenant, healthy, 20, Instant.now());
            engine.feed.signal();

            Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> count(tenant, "delivered") == 20);
            Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> count(tenant, "dead") == 2);
            assertThat(waiting.stream().map(id -> fixture.delivery(id, "state || ' ' || attempts")))
                    .containsOnly("pending 0");
            assertThat(receiver.requests()).allMatch(request -> request.path().equals("/healthy"));

            fixture.update(
                    "update subscription_secrets set secret = set_byte(secret, 20, get_byte(secret, 20) # 1) where subscription_id = ?",
                    unreadable);
            Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> count(tenant, "delivered") == 23);
            assertThat(receiver.requests())
                    .filteredOn(request -> request.path().equals("/unreadable"))
                    .hasSize(3)
                    .allMatch(request -> !request.header("webhook-signature").isEmpty());
        }
    }

    /** A rate of one request in hours, so that no clock matters. */
    @Test
    @Tag("SB-7")
    void a_rate_holds_back_its_own_subscription_and_costs_no_attempt() throws Exception {
        long tenant = fixture.tenant("rate");
        try (TestReceiver receiver = TestReceiver.start();
                EngineLoop engine = new EngineLoop(fixture, Map.of())) {
            UUID slow = fixture.subscription(
                    tenant, "AT_LEAST_ONCE", 6, receiver.url("/slow").toString(), 32);
            UUID free = fixture.subscription(
                    tenant, "AT_LEAST_ONCE", 6, receiver.url("/free").toString(), 32);
            fixture.update("update subscriptions set per_second = 0.0001 where id = ?", slow);
            List<Long> held = fixture.deliveries(tenant, slow, 5, Instant.now());
            fixture.deliveries(tenant, free, 50, Instant.now());
            engine.feed.signal();

            Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> count(tenant, "delivered") == 51);

            assertThat(receiver.requests().stream()
                            .filter(request -> request.path().equals("/slow"))
                            .count())
                    .isEqualTo(1);
            assertThat(held.stream().map(id -> fixture.delivery(id, "state || ' ' || attempts")))
                    .containsExactlyInAnyOrder("delivered 1", "pending 0", "pending 0", "pending 0", "pending 0");
            fixture.update("update subscriptions set per_second = null, version = version + 1 where id = ?", slow);
            Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> count(tenant, "delivered") == 55);
        }
    }

    /** A rate of one request in hours: if one of these took it, the last would wait for hours. */
    @Test
    @Tag("SB-7")
    void what_ends_without_a_request_takes_nothing_of_the_rate() throws Exception {
        long tenant = fixture.tenant("ends");
        try (TestReceiver receiver = TestReceiver.start();
                EngineLoop engine = new EngineLoop(fixture, Map.of())) {
            String url = receiver.url("/hook").toString();
            UUID old = fixture.subscription(tenant, "AT_LEAST_ONCE", 6, url, 32);
            UUID denied = fixture.subscription(tenant, "AT_LEAST_ONCE", 6, url, 32);
            UUID disabled = fixture.subscription(tenant, "AT_LEAST_ONCE", 6, url, 32);
            fixture.update(
                    "update subscriptions set per_second = 0.0001, dead_threshold = 1000 where tenant_id = ?", tenant);
            fixture.update("update subscriptions set grants = '{}' where id = ?", denied);
            fixture.update("update subscriptions set status = 'DISABLED' where id = ?", disabled);
            fixture.deliveries(tenant, old, 20, Instant.now().minus(Duration.ofHours(25)));
            fixture.deliveries(tenant, old, 1, Instant.now());
            fixture.deliveries(tenant, denied, 5, Instant.now());
            fixture.deliveries(tenant, disabled, 20, Instant.now());
            engine.feed.signal();

            Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> count(tenant, "delivered") == 1);
            Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> count(tenant, "dead") == 20);
            Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> count(tenant, "failed") == 25);
        }
    }

    /** Pauses of an hour, which the test itself ends, so that no clock matters. */
    @Test
    @Tag("SB-7")
    void a_receiver_that_fails_is_left_alone_but_for_a_probe_and_gets_everything_when_it_is_well_again()
            throws Exception {
        long tenant = fixture.tenant("circuit");
        AtomicBoolean well = new AtomicBoolean();
        try (TestReceiver receiver = TestReceiver.start();
                EngineLoop engine = new EngineLoop(fixture, Map.of())) {
            receiver.answering(request -> Answer.status(well.get() ? 200 : 503));
            UUID subscription = fixture.subscription(
                    tenant, "AT_LEAST_ONCE", 6, receiver.url("/hook").toString(), 2);
            fixture.update(
                    "update subscriptions set circuit_threshold = 5, circuit_pause_s = 3600, circuit_max_pause_s = 3600,"
                            + " retry_waits = '{1,1,1,1,1}' where id = ?",
                    subscription);
            fixture.deliveries(tenant, subscription, 40, Instant.now().minusSeconds(1));
            engine.feed.signal();
            Awaitility.await()
                    .atMost(Duration.ofMinutes(2))
                    .until(() -> circuit(subscription).equals("OPEN 1"));
            Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> open(tenant) == 0);
            long spent = attempts(tenant);
            assertThat(spent).as("what opened it, and what was under way").isBetween(5L, 6L);

            endPause(subscription);
            engine.feed.signal();
            Awaitility.await()
                    .atMost(Duration.ofMinutes(2))
                    .until(() -> circuit(subscription).equals("OPEN 2"));
            assertThat(attempts(tenant)).as("one probe").isEqualTo(spent + 1);
            assertThat(receiver.count()).isEqualTo((int) spent + 1);

            well.set(true);
            endPause(subscription);
            engine.feed.signal();
            Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> count(tenant, "delivered") == 40);
            assertThat(circuit(subscription)).isEqualTo("CLOSED 0");
            assertThat(attempts(tenant)).isEqualTo(spent + 41);
        }
    }

    private static String circuit(UUID subscription) {
        return fixture.text("select circuit || ' ' || circuit_openings from subscriptions where id = ?", subscription);
    }

    private static void endPause(UUID subscription) {
        fixture.update(
                "update subscriptions set circuit_until = now() - interval '1 minute' where id = ?", subscription);
    }

    private static long attempts(long tenant) {
        return fixture.database.number("select count(*) from ringfence.delivery_attempts where tenant_id = " + tenant);
    }

    private static long open(long tenant) {
        return fixture.database.number(
                "select count(*) from ringfence.delivery_attempts where state = 'SENDING' and tenant_id = " + tenant);
    }

    @Test
    @Tag("FN-2")
    void while_a_tenants_fence_is_taken_nothing_of_it_is_sent_and_the_others_go_on() throws Exception {
        long closed = fixture.tenant("closed");
        long open = fixture.tenant("open");
        try (TestReceiver receiver = TestReceiver.start();
                EngineLoop engine = new EngineLoop(fixture, Map.of())) {
            String url = receiver.url("/hook").toString();
            List<Long> waiting;
            try (var holder = fixture.database.connect();
                    var statement = holder.createStatement()) {
                statement.execute(
                        "select pg_advisory_lock(fence_key) from tenant_lifecycle where tenant_id = " + closed);
                waiting = fixture.deliveries(
                        closed, fixture.subscription(closed, "AT_LEAST_ONCE", 6, url, 32), 3, Instant.now());
                fixture.deliveries(open, fixture.subscription(open, "AT_LEAST_ONCE", 6, url, 32), 3, Instant.now());
                engine.feed.signal();
                Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> count(open, "delivered") == 3);
                assertThat(count(closed, "pending")).isEqualTo(3);
                assertThat(waiting)
                        .allSatisfy(id -> assertThat(fixture.ledger(id)).isNull());
            }
            Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> count(closed, "delivered") == 3);
        }
    }
}
