package dev.ringfence.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.delivery.DeliveryFixture;
import dev.ringfence.harness.TestReceiver;
import dev.ringfence.harness.TestReceiver.Answer;
import dev.ringfence.json.StrictJson;
import dev.ringfence.ordering.OrderSweep;
import dev.ringfence.ordering.OrderedKey;
import dev.ringfence.ordering.RealReleases;
import dev.ringfence.time.ClockProducer;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two engines at the same queues, over real sockets: what arrives, arrives in order (OB-5). */
@Tag("OB-5")
@Timeout(300)
class OrderedEngineIT {
    private static final Clock CLOCK = ClockProducer.utcMicros();

    private static DeliveryFixture fixture;
    private static RealReleases releases;

    @BeforeAll
    static void open() {
        fixture = new DeliveryFixture();
        releases = new RealReleases(fixture.transactions);
    }

    @AfterAll
    static void close() {
        fixture.close();
    }

    /** A subscription that keeps the order, and so many held deliveries of each of so many keys; a body says key and number. */
    private UUID held(long tenant, TestReceiver receiver, int keys, int numbers) {
        UUID subscription = fixture.subscription(
                tenant, "AT_LEAST_ONCE", 6, receiver.url("/hook").toString(), 32);
        fixture.update(
                "update subscriptions set ordering = 'KEY', retry_waits = '{0,0,0,0,0}', circuit_threshold = 0, dead_threshold = 100000 where id = ?",
                subscription);
        fixture.update(
                """
                with events as (
                  insert into outbox_events (ordinal, tenant_id, app_id, epoch, request_started_at, event_id, event_name, event_version,
                    occurred_at, recorded_at, producer, aggregate_type, aggregate_id, actor, correlation_id, causation_id, payload, metadata,
                    payload_bytes, payload_sha256, status, available_at, created_at, updated_at)
                  select o, ?, ?, ?, now(), 'evt_' || o, 'order.order.placed.v1', 1, now(), now(), 'order', 'order', 'o-1', '{}'::jsonb, 'cor_1',
                    'req_1', '{}'::jsonb, '{}'::jsonb, b, sha256(b), 'PENDING', 'infinity', now(), now()
                  from (select nextval('ordinals') as o, k, n from generate_series(1, ?) k, generate_series(1, ?) n) s,
                    lateral (select convert_to('{"key":"' || k || '","number":' || n || '}', 'UTF8') as b) x
                  returning ordinal, recorded_at, convert_from(payload_bytes, 'UTF8')::jsonb as body)
                insert into deliveries (id, tenant_id, app_id, epoch, subscription_id, event_ordinal, event_recorded_at, event_id, message_id,
                  mode, state, url, protocol, cycle_started_at, next_attempt_at, created_at, updated_at, order_key, order_sequence)
                select nextval('ordinals'), ?, ?, ?, ?, ordinal, recorded_at, 'evt_' || ordinal, 'msg_' || ordinal, 'PUSH', 'pending', ?, 1, now(),
                  'infinity', now(), now(), body ->> 'key', (body ->> 'number')::bigint from events
                """,
                tenant,
                fixture.app,
                fixture.epoch,
                keys,
                numbers,
                tenant,
                fixture.app,
                fixture.epoch,
                subscription,
                receiver.url("/hook").toString());
        return subscription;
    }

    private static long live(UUID subscription) {
        return fixture.database.number(
                "select count(*) from ringfence.deliveries_live where subscription_id = '" + subscription + "'");
    }

    /** Carries hints on, as the runner of each node does; without hints only the sweep goes round. */
    private static Thread releaser(List<EngineLoop> engines, boolean hints, AtomicBoolean over) {
        OrderSweep sweep = releases.sweep(CLOCK);
        Thread thread = new Thread(() -> {
            int released = sweep.sweep();
            while (!over.get()) {
                if (released > 0) {
                    engines.forEach(engine -> engine.feed.signal());
                }
                released = 0;
                for (EngineLoop engine : engines) {
                    Set<OrderedKey> moved = engine.moved.taken();
                    released += hints && !moved.isEmpty() ? releases.release(moved, CLOCK.instant()) : 0;
                }
                released += hints ? 0 : sweep.sweep();
            }
        });
        thread.start();
        return thread;
    }

    private void arriveInOrder(String name, boolean hints) throws Exception {
        long tenant = fixture.tenant(name);
        AtomicBoolean over = new AtomicBoolean();
        Random random = new Random(7);
        try (TestReceiver receiver = TestReceiver.start();
                EngineLoop one = new EngineLoop(fixture, Map.of());
                EngineLoop two = new EngineLoop(fixture, Map.of())) {
            receiver.answering(request -> Answer.status(answer(random)));
            UUID subscription = held(tenant, receiver, 20, 15);
            Thread releaser = releaser(List.of(one, two), hints, over);
            try {
                Awaitility.await()
                        .atMost(Duration.ofMinutes(3))
                        .until(() -> live(subscription) == 0 || !releaser.isAlive());
            } finally {
                over.set(true);
                releaser.join();
            }
            assertThat(live(subscription)).isZero();
            Map<String, Integer> last = new HashMap<>();
            Set<String> bodies = new HashSet<>();
            for (TestReceiver.Request request : receiver.requests()) {
                JsonNode body = StrictJson.parse(request.body());
                int before = last.getOrDefault(body.path("key").asText(), 0);
                assertThat(body.path("number").asInt())
                        .as("%s after %s", request.text(), before)
                        .isBetween(before, before + 1);
                last.put(body.path("key").asText(), body.path("number").asInt());
                bodies.add(request.text());
            }
            assertThat(bodies).hasSize(20 * 15);
            assertThat(receiver.count()).isGreaterThan(20 * 15);
        }
    }

    private static int answer(Random random) {
        synchronized (random) {
            int chance = random.nextInt(10);
            return chance < 7 ? 200 : chance < 9 ? 503 : 400;
        }
    }

    @Test
    void whatever_the_receiver_answers_a_key_arrives_in_the_order_of_its_numbers() throws Exception {
        arriveInOrder("hints", true);
    }

    /** As if each node died between the commit of an outcome and its release. */
    @Test
    void what_nobody_tells_of_is_found_by_the_sweep() throws Exception {
        arriveInOrder("sweep", false);
    }

    /** Nobody will ever have its turn in the queues of a subscription that is gone. */
    @Test
    @Tag("SB-5")
    void what_is_held_for_a_deleted_subscription_fails_at_once() throws Exception {
        long tenant = fixture.tenant("gone");
        try (TestReceiver receiver = TestReceiver.start()) {
            UUID subscription = held(tenant, receiver, 2, 3);
            fixture.update("delete from subscriptions where id = ?", subscription);
            try (EngineLoop engine = new EngineLoop(fixture, Map.of())) {
                engine.feed.signal();
                Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> live(subscription) == 0);
            }
            assertThat(fixture.database.number("select count(*) from ringfence.deliveries where subscription_id = '"
                            + subscription + "' and state = 'failed' and last_code = 'SUBSCRIPTION_GONE'"))
                    .isEqualTo(6);
            assertThat(receiver.count()).isZero();
        }
    }
}
