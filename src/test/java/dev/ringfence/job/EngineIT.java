package dev.ringfence.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.delivery.DeliveryFixture;
import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.ServerProcess;
import dev.ringfence.harness.TestReceiver;
import dev.ringfence.harness.TestReceiver.Answer;
import dev.ringfence.retention.OldWeeks;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The engine in a real server, on rows as fan-out leaves them. */
class EngineIT {
    private static final String ADMIN_KEY = "engine-admin-key-0123456789-0123456789-012";
    private static final int LONG_AGO = 20;

    private static DeliveryFixture fixture;
    private static OldWeeks old;
    private static long oldDelivery;
    /** Keeps retention from taking the old week before its test begins. */
    private static Connection report;

    private static ServerProcess server;

    @BeforeAll
    static void start() throws Exception {
        fixture = new DeliveryFixture();
        old = new OldWeeks(fixture, LONG_AGO);
        oldDelivery = old.inWeek(LONG_AGO, "delivered", "PUSH");
        report = fixture.database.connect();
        report.setAutoCommit(false);
        try (var statement = report.createStatement()) {
            statement.execute("select count(*) from delivery_attempts");
        }
        server = ServerProcess.named("engine")
                .database(fixture.database)
                .config("ringfence.bootstrap.admin-key", ADMIN_KEY)
                .config("ringfence.secrets.key", "Y2FtcGFpZ24tc2VjcmV0cy1rZXktMDEyMzQ1Njc4OTA=")
                .config("ringfence.egress.allow", "127.0.0.0/8")
                .start();
    }

    @AfterAll
    static void stop() throws Exception {
        report.close();
        if (server != null) {
            server.close();
        }
        fixture.close();
    }

    private static long count(long tenant, String state) {
        return fixture.database.number("select count(*) from ringfence.deliveries where tenant_id = " + tenant
                + " and state = '" + state + "'");
    }

    /** How many deliveries are in which state with which last code. */
    private static String states(long tenant) {
        return fixture.text(
                "select string_agg(x, ' ' order by x) from (select concat_ws('/', state, last_code) || '=' || count(*) as x"
                        + " from deliveries where tenant_id = ? group by state, last_code) y",
                tenant);
    }

    private static Instant due() {
        return Instant.now().minusSeconds(1);
    }

    @Test
    @Tag("AT-1")
    void what_is_due_arrives_once() throws Exception {
        try (TestReceiver receiver = TestReceiver.start()) {
            long tenant = fixture.tenant("once");
            for (int i = 0; i < 5; i++) {
                UUID subscription = fixture.subscription(
                        tenant, "AT_LEAST_ONCE", 6, receiver.url("/hook/" + i).toString(), 32);
                fixture.deliveries(tenant, subscription, 100, due());
            }

            Awaitility.await()
                    .atMost(Duration.ofMinutes(3))
                    .untilAsserted(() -> assertThat(states(tenant)).isEqualTo("delivered=500"));

            assertThat(receiver.requests()).hasSize(500);
            assertThat(receiver.requests())
                    .extracting(TestReceiver.Request::text)
                    .doesNotHaveDuplicates();
            assertThat(fixture.database.number("select count(*) from ringfence.delivery_attempts where tenant_id = "
                            + tenant + " and state = 'ACKNOWLEDGED' and number = 1 and http_status = 200"))
                    .isEqualTo(500);
        }
    }

    @Test
    @Tag("HT-5")
    void nine_endpoints_are_served_while_the_tenth_hangs() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        try (TestReceiver receiver = TestReceiver.start()) {
            receiver.answering(request ->
                    request.path().startsWith("/hang") ? Answer.status(200).heldBy(never) : Answer.status(200));
            long tenant = fixture.tenant("hanging");
            UUID hanging = fixture.subscription(
                    tenant, "AT_LEAST_ONCE", 6, receiver.url("/hang").toString(), 32);
            fixture.deliveries(tenant, hanging, 2_000, due().minusSeconds(60));
            Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> receiver.count() >= 10);
            for (int i = 0; i < 9; i++) {
                UUID healthy = fixture.subscription(
                        tenant, "AT_LEAST_ONCE", 6, receiver.url("/fine/" + i).toString(), 32);
                fixture.deliveries(tenant, healthy, 20, due());
            }

            Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> count(tenant, "delivered") == 180);

            assertThat(count(tenant, "pending"))
                    .as("still waiting at the hanging endpoint")
                    .isGreaterThan(1_000);
            fixture.update("update subscriptions set status = 'PAUSED' where id = ?", hanging);
        } finally {
            never.countDown();
        }
    }

    @Test
    @Tag("RT-1")
    void an_old_week_goes_while_events_are_recorded_and_delivered_and_is_unknown_then() throws Exception {
        RingfenceClient client = new RingfenceClient(server.api(), ADMIN_KEY);
        String app = client.createApp("recording");
        String epoch = client.enrol(app, "tenant");
        AtomicInteger rounds = new AtomicInteger();
        try (TestReceiver receiver = TestReceiver.start()) {
            long tenant = fixture.tenant("beside-retention");
            UUID subscription = fixture.subscription(
                    tenant, "AT_LEAST_ONCE", 6, receiver.url("/hook").toString(), 32);
            assertThat(old.has("outbox_events", LONG_AGO)).isTrue();
            report.rollback();

            Awaitility.await().atMost(Duration.ofMinutes(3)).until(() -> {
                client.record(app, "tenant", epoch, List.of(RingfenceClient.orderPlaced(rounds.incrementAndGet())))
                        .expect(202);
                fixture.deliveries(tenant, subscription, 5, due());
                return !old.has("outbox_events", LONG_AGO);
            });

            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(states(tenant)).isEqualTo("delivered=" + 5 * rounds.get()));
            assertThat(fixture.database.number(
                            "select count(*) from ringfence.outbox_events where app_id = '" + app + "'"))
                    .isEqualTo(rounds.get());
        }

        String deliveries = "apps/" + fixture.app + "/deliveries";
        assertThat(old.has("deliveries_finished", LONG_AGO)).isFalse();
        assertThat(old.has("delivery_attempts", LONG_AGO)).isFalse();
        client.get(deliveries + "/" + oldDelivery).expect(404);
        client.post(
                        deliveries + "/" + oldDelivery + "/retry",
                        RingfenceClient.object().put("reason", "once more"))
                .expect(404);
        assertThat(client.get(deliveries + "?limit=200").expect(200).text()).doesNotContain("\"" + oldDelivery + "\"");
        assertThat(fixture.database.number(
                        "select count(*) from ringfence.delivery_keys where delivery_id = " + oldDelivery))
                .isEqualTo(1);
    }
}
