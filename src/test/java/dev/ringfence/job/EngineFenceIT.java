package dev.ringfence.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ringfence.config.Settings;
import dev.ringfence.delivery.DeliveryFixture;
import dev.ringfence.harness.TestReceiver;
import dev.ringfence.harness.TestReceiver.Answer;
import dev.ringfence.time.NanoClock;
import dev.ringfence.time.SteerableNanoClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the engine does when its fence or its tenant is taken away between two of its steps. */
class EngineFenceIT {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String FENCES = " from pg_locks l join pg_database d on d.oid = l.database"
            + " where d.datname = current_database() and l.locktype = 'advisory' and l.objsubid = 1 and l.mode = 'ShareLock'";

    private DeliveryFixture fixture;
    private TestReceiver receiver;
    private long tenant;

    @BeforeEach
    void open() {
        fixture = new DeliveryFixture();
        receiver = TestReceiver.start();
        tenant = fixture.tenant("shop");
    }

    @AfterEach
    void close() {
        receiver.close();
        fixture.close();
    }

    private long delivery(String semantics) {
        UUID subscription =
                fixture.subscription(tenant, semantics, 6, receiver.url("/hook").toString(), 32);
        return fixture.deliveries(tenant, subscription, 1, due()).get(0);
    }

    private static Instant due() {
        return Instant.now().minusSeconds(1);
    }

    private void awaitState(long delivery, String state) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(fixture.delivery(delivery, "state"))
                        .as(fixture.ledger(delivery))
                        .isEqualTo(state));
    }

    private void run(Interference interference, long delivery, String state) throws InterruptedException {
        try (EngineLoop engine = new EngineLoop(fixture, Map.of(), interference)) {
            engine.feed.signal();
            awaitState(delivery, state);
        }
    }

    private void killFence() {
        assertThat(fixture.text(
                        "select count(pg_terminate_backend(pid, 5000)) from (select distinct l.pid" + FENCES + ") x"))
                .isEqualTo("1");
    }

    private void rotateEpoch() {
        fixture.update("update tenant_lifecycle set epoch = ? where tenant_id = ?", UUID.randomUUID(), tenant);
    }

    @Test
    @Tag("FN-6")
    @Tag("FN-7")
    void a_fence_lost_while_the_receiver_holds_its_answer_makes_the_outcome_uncertain() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        receiver.answering(request -> Answer.status(200).heldBy(answer));
        long delivery = delivery("AT_LEAST_ONCE");
        try (EngineLoop engine = new EngineLoop(fixture, Map.of())) {
            await().atMost(PATIENCE).until(() -> receiver.count() == 1);
            assertThat(fixture.ledger(delivery))
                    .as("committed before the request")
                    .isEqualTo("1:SENDING");

            killFence();
            answer.countDown();

            awaitState(delivery, "retrying");
            assertThat(fixture.ledger(delivery)).isEqualTo("1:UNCERTAIN/FENCE_LOST");
            fixture.update("update deliveries set next_attempt_at = now() where id = ?", delivery);
            engine.feed.signal();
            awaitState(delivery, "delivered");
        } finally {
            answer.countDown();
        }
        assertThat(fixture.ledger(delivery)).isEqualTo("1:UNCERTAIN/FENCE_LOST 2:ACKNOWLEDGED");
        List<TestReceiver.Request> requests = receiver.requests();
        assertThat(requests).hasSize(2);
        assertThat(requests.get(1).body()).isEqualTo(requests.get(0).body());
    }

    @Test
    @Tag("FN-7")
    void the_fence_is_held_while_the_receiver_holds_its_answer() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        receiver.answering(request -> Answer.status(200).heldBy(answer));
        long delivery = delivery("AT_LEAST_ONCE");
        try (EngineLoop engine = new EngineLoop(fixture, Map.of())) {
            await().atMost(PATIENCE).until(() -> receiver.count() == 1);

            assertThat(fixture.text(
                            "select pg_try_advisory_lock(fence_key) from tenant_lifecycle where tenant_id = ?", tenant))
                    .isEqualTo("f");

            answer.countDown();
            awaitState(delivery, "delivered");
            await().atMost(PATIENCE).until(() -> "0".equals(fixture.text("select count(*)" + FENCES)));
            assertThat(engine.slots.held()).isZero();
        } finally {
            answer.countDown();
        }
    }

    @Test
    @Tag("FN-6")
    @Tag("AT-3")
    void a_fence_lost_before_http_sends_nothing_and_the_reservation_goes_back() throws Exception {
        AtomicBoolean first = new AtomicBoolean(true);
        AtomicLong sentBefore = new AtomicLong(-1);
        long delivery = delivery("AT_MOST_ONCE");
        Interference lost = new Interference() {
            @Override
            public void beforeSecondLook() {
                if (first.getAndSet(false)) {
                    killFence();
                } else {
                    sentBefore.compareAndSet(-1, receiver.count());
                }
            }
        };
        run(lost, delivery, "delivered");
        assertThat(sentBefore).hasValue(0);
        assertThat(fixture.ledger(delivery)).isEqualTo("1:RELEASED 2:ACKNOWLEDGED");
        assertThat(receiver.count()).isEqualTo(1);
    }

    @Test
    @Tag("AT-3")
    void any_failure_before_http_gives_the_reservation_back() throws Exception {
        AtomicBoolean first = new AtomicBoolean(true);
        long delivery = delivery("AT_MOST_ONCE");
        Interference broken = new Interference() {
            @Override
            public void beforeSecondLook() {
                if (first.getAndSet(false)) {
                    throw new IllegalStateException("no row can be read");
                }
            }
        };
        run(broken, delivery, "delivered");
        assertThat(fixture.ledger(delivery)).isEqualTo("1:RELEASED 2:ACKNOWLEDGED");
        assertThat(receiver.count()).isEqualTo(1);
    }

    /** The worker is suspended between its reservation and its request until the time to send is over. */
    @Test
    @Tag("AT-3")
    void what_has_no_time_left_before_http_is_skipped_and_costs_no_attempt() throws Exception {
        SteerableNanoClock clock = new SteerableNanoClock();
        AtomicBoolean first = new AtomicBoolean(true);
        long delivery = delivery("AT_MOST_ONCE");
        Interference suspension = new Interference() {
            @Override
            public void beforeSecondLook() {
                if (first.getAndSet(false)) {
                    clock.advance(Duration.ofSeconds(3));
                }
            }
        };
        try (EngineLoop engine = new EngineLoop(fixture, Map.of(), suspension, clock)) {
            engine.feed.signal();
            awaitState(delivery, "delivered");
        }
        assertThat(fixture.ledger(delivery)).isEqualTo("1:RELEASED 2:ACKNOWLEDGED");
        assertThat(fixture.delivery(delivery, "cycle_attempts")).isEqualTo("1");
        assertThat(receiver.count()).isEqualTo(1);
    }

    @Test
    @Tag("FN-4")
    void an_epoch_rotated_after_the_reservation_cancels_it_before_http() throws Exception {
        long delivery = delivery("AT_LEAST_ONCE");
        Interference rotation = new Interference() {
            @Override
            public void beforeSecondLook() {
                rotateEpoch();
            }
        };
        run(rotation, delivery, "failed");
        assertThat(fixture.ledger(delivery)).isEqualTo("1:CANCELLED/REDACTED");
        assertThat(receiver.count()).isZero();
    }

    @Test
    @Tag("FN-4")
    void an_epoch_rotated_before_the_reservation_leaves_the_delivery_alone() throws Exception {
        CountDownLatch rotated = new CountDownLatch(1);
        long delivery = delivery("AT_LEAST_ONCE");
        Interference rotation = new Interference() {
            @Override
            public void beforeReservation() {
                rotateEpoch();
                rotated.countDown();
            }
        };
        try (EngineLoop engine = new EngineLoop(fixture, Map.of(), rotation)) {
            await().atMost(PATIENCE).until(() -> rotated.getCount() == 0 && engine.slots.held() == 0);
        }
        assertThat(fixture.delivery(delivery, "state || coalesce(reservation_id::text, '')"))
                .isEqualTo("pending");
        assertThat(fixture.ledger(delivery)).isNull();
        assertThat(receiver.count()).isZero();
    }

    @Test
    @Tag("AD-6")
    void what_a_living_node_leaves_lying_is_delivered_by_the_other() throws Exception {
        UUID subscription = fixture.subscription(
                tenant, "AT_LEAST_ONCE", 6, receiver.url("/hook").toString(), 32);
        try (EngineLoop engine = new EngineLoop(fixture, Map.of())) {
            engine.feed.share(new NodeShare(2, 1));
            fixture.deliveries(tenant, subscription, 10, due());
            engine.feed.signal();

            await().atMost(PATIENCE)
                    .until(() -> fixture.database.number(
                                    "select count(*) from ringfence.deliveries where state = 'delivered'")
                            == 10);
        }
        assertThat(receiver.count()).isEqualTo(10);
    }

    @Test
    @Tag("AD-6")
    void a_node_whose_job_does_not_run_takes_no_share() throws Exception {
        try (EngineLoop engine = new EngineLoop(fixture, Map.of())) {
            Settings settings = Settings.from(Map.of(
                    "ringfence.secrets.key", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "ringfence.node", "idle"));
            DeliveryJob job = new DeliveryJob(engine.feed, engine.slots, new NanoClock());

            new Heartbeat(new NodeRepository(fixture.transactions), engine.feed, job, settings).beat();

            assertThat(fixture.database.number("select count(*) from ringfence.nodes"))
                    .isZero();
        }
    }
}
