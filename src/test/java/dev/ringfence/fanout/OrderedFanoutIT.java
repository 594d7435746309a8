package dev.ringfence.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.fanout.FanoutFixture.Tenant;
import dev.ringfence.ordering.OrderSweep;
import dev.ringfence.ordering.OrderedKey;
import dev.ringfence.ordering.RealReleases;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Held deliveries, from fan-out on: who has its turn, whoever looks first (OB-5). */
@Tag("OB-5")
@Timeout(300)
class OrderedFanoutIT {
    private static final Map<String, String> BY_KEY = Map.of("ordering", "'KEY'");
    private static final Map<String, String> BLOCKING = Map.of("ordering", "'KEY'", "on_dead", "'BLOCK'");

    private FanoutFixture fixture;
    private RealReleases releases;
    private Tenant shop;

    @BeforeEach
    void open() {
        fixture = new FanoutFixture();
        releases = new RealReleases(fixture.transactions);
        shop = fixture.tenant("shop");
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private int release(UUID subscription, String key) {
        return releases.release(Set.of(new OrderedKey(subscription, key)), fixture.clock.instant());
    }

    /** Number and state of each delivery of a key; a held one in brackets. */
    private String queue(UUID subscription, String key) {
        return text("select string_agg(case when next_attempt_at = 'infinity' then '(' || order_sequence || ')'"
                + " else order_sequence || ' ' || state end, ', ' order by order_sequence) from deliveries"
                + " where subscription_id = '" + subscription + "' and order_key = '" + key + "'");
    }

    private String text(String sql) {
        try (Connection connection = fixture.database.connect();
                ResultSet rows = connection.createStatement().executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Ends the delivery of that number as a receipt would. */
    private void end(UUID subscription, String key, long sequence, String state) {
        fixture.database.execute("update deliveries set state = '" + state
                + "', attempts = attempts + 1, cycle_attempts = cycle_attempts + 1,"
                + " next_attempt_at = null, finished_at = now() where subscription_id = '" + subscription
                + "' and order_key = '" + key + "' and order_sequence = " + sequence);
    }

    @Test
    void of_each_key_one_is_due_and_the_next_when_it_has_ended() {
        UUID ordered = fixture.subscription(shop, BY_KEY);
        UUID free = fixture.subscription(shop, Map.of());
        fixture.recordKeyed(shop, 3, "a");
        fixture.recordKeyed(shop, 1, "b");
        fixture.record(shop, 1, "order.order.placed.v1", "{}");
        fixture.publisher().runOnce();

        assertThat(fixture.moved.taken())
                .containsExactlyInAnyOrder(new OrderedKey(ordered, "a"), new OrderedKey(ordered, "b"));
        assertThat(queue(ordered, "a")).isEqualTo("(1), (2), (3)");
        assertThat(fixture.count(
                        "deliveries",
                        "subscription_id = '" + free + "' and order_key is null and next_attempt_at < 'infinity'"))
                .isEqualTo(5);
        assertThat(fixture.count(
                        "deliveries",
                        "subscription_id = '" + ordered + "' and order_key is null and next_attempt_at < 'infinity'"))
                .isEqualTo(1);

        assertThat(release(ordered, "a")).isEqualTo(1);
        assertThat(release(ordered, "a")).isZero();
        assertThat(queue(ordered, "a")).isEqualTo("1 pending, (2), (3)");
        end(ordered, "a", 1, "retrying");
        assertThat(release(ordered, "a")).isZero();
        end(ordered, "a", 1, "delivered");
        assertThat(release(ordered, "a")).isEqualTo(1);
        end(ordered, "a", 2, "failed");
        assertThat(release(ordered, "a")).isEqualTo(1);
        assertThat(queue(ordered, "a")).isEqualTo("1 delivered, 2 failed, 3 pending");
        assertThat(queue(ordered, "b")).isEqualTo("(1)");
    }

    /** An attempt may begin a day after its release, however long the delivery was held before. */
    @Test
    @Tag("AT-1")
    void the_age_counts_from_the_release() {
        UUID ordered = fixture.subscription(shop, BY_KEY);
        fixture.recordKeyed(shop, 1, "a");
        fixture.publisher().runOnce();
        fixture.clock.advance(java.time.Duration.ofDays(3));
        release(ordered, "a");
        assertThat(text("select cycle_started_at = '" + fixture.clock.instant()
                        + "' and next_attempt_at = cycle_started_at"
                        + " and created_at < cycle_started_at from deliveries"))
                .isEqualTo("t");
    }

    @Test
    void whoever_is_fanned_out_first_waits_for_events_with_lower_numbers() {
        UUID ordered = fixture.subscription(shop, BY_KEY);
        UUID other = fixture.subscription(shop, Map.of("ordering", "'KEY'", "event_types", "'{other.*}'"));
        fixture.recordKeyed(shop, 2, "a");
        for (String status : List.of("PENDING", "CLAIMED", "FAILED_RETRYABLE")) {
            fixture.database.execute("update outbox_events set available_at = 'infinity' where order_sequence = 1");
            if (!status.equals("PENDING")) {
                fixture.database.execute(
                        "update outbox_events set status = 'CLAIMED', locked_by = 'x', locked_until = 'infinity'"
                                + " where order_sequence = 1");
            }
            if (status.equals("FAILED_RETRYABLE")) {
                fixture.database.execute(
                        "update outbox_events set status = 'FAILED_RETRYABLE', locked_by = null where order_sequence = 1");
            }
            fixture.publisher().runOnce();
            assertThat(release(ordered, "a")).as(status).isZero();
            assertThat(queue(ordered, "a")).isEqualTo("(2)");
        }
        fixture.moved.taken();
        fixture.database.execute(
                "update outbox_events set available_at = '" + fixture.clock.instant() + "' where order_sequence = 1");
        fixture.publisher().runOnce();
        // the event that came last frees others also where it is not for them
        assertThat(fixture.moved.taken()).contains(new OrderedKey(ordered, "a"), new OrderedKey(other, "a"));
        assertThat(release(ordered, "a")).isEqualTo(1);
        assertThat(queue(ordered, "a")).isEqualTo("1 pending, (2)");
    }

    /** An event that fan-out gave up was never a delivery, so nothing waits for it. */
    @Test
    void an_event_that_was_given_up_holds_nobody() {
        UUID ordered = fixture.subscription(shop, BLOCKING);
        fixture.recordKeyed(shop, 2, "a");
        fixture.database.execute(
                "update outbox_events set status = 'CLAIMED', locked_by = 'x', locked_until = 'infinity' where order_sequence = 1;"
                        + " update outbox_events set status = 'DEAD_LETTERED', locked_by = null where order_sequence = 1");
        fixture.publisher().runOnce();
        assertThat(release(ordered, "a")).isEqualTo(1);
    }

    @Test
    void a_dead_one_blocks_those_after_it_and_not_those_before() {
        UUID blocking = fixture.subscription(shop, BLOCKING);
        fixture.recordKeyed(shop, 3, "a");
        fixture.publisher().runOnce();
        release(blocking, "a");
        end(blocking, "a", 1, "delivered");
        release(blocking, "a");
        end(blocking, "a", 2, "dead");
        fixture.database.execute(
                "update deliveries set state = 'pending', cycle = 2, cycle_attempts = 0, finished_at = null,"
                        + " next_attempt_at = 'infinity' where order_sequence = 1");

        assertThat(release(blocking, "a")).isEqualTo(1);
        assertThat(queue(blocking, "a")).isEqualTo("1 pending, 2 dead, (3)");
        end(blocking, "a", 1, "delivered");
        assertThat(release(blocking, "a")).as("the dead one").isZero();
    }

    @Test
    @Tag("SB-3")
    void nothing_stays_held_behind_the_dead_of_a_disabled_subscription() {
        UUID blocking = fixture.subscription(shop, BLOCKING);
        fixture.recordKeyed(shop, 2, "a");
        fixture.publisher().runOnce();
        release(blocking, "a");
        end(blocking, "a", 1, "dead");
        assertThat(release(blocking, "a")).isZero();

        fixture.database.execute("update subscriptions set status = 'DISABLED', disabled_reason = 'GONE'");
        assertThat(release(blocking, "a")).as("so that it can fail").isEqualTo(1);
    }

    @Test
    void a_dead_one_blocks_its_key_until_it_is_discarded_or_goes_on() {
        UUID blocking = fixture.subscription(shop, BLOCKING);
        UUID going = fixture.subscription(shop, BY_KEY);
        fixture.recordKeyed(shop, 3, "a");
        fixture.recordKeyed(shop, 2, "b");
        fixture.publisher().runOnce();
        for (UUID subscription : List.of(blocking, going)) {
            release(subscription, "a");
            end(subscription, "a", 1, "dead");
            release(subscription, "b");
            end(subscription, "b", 1, "failed");
            release(subscription, "b");
            release(subscription, "a");
            assertThat(queue(subscription, "b")).isEqualTo("1 failed, 2 pending");
        }
        assertThat(queue(going, "a")).isEqualTo("1 dead, 2 pending, (3)");
        assertThat(queue(blocking, "a")).isEqualTo("1 dead, (2), (3)");
        assertThat(fixture.count("order_blocks", "true")).isEqualTo(1);

        fixture.database.execute("update deliveries set discarded = true where state = 'dead'");
        assertThat(fixture.count("order_blocks", "true")).isZero();
        release(blocking, "a");
        assertThat(queue(blocking, "a")).isEqualTo("1 dead, 2 pending, (3)");

        end(blocking, "a", 2, "dead");
        assertThat(release(blocking, "a")).isZero();
        fixture.database.execute(
                "update deliveries set state = 'pending', cycle = cycle + 1, cycle_attempts = 0, next_attempt_at = 'infinity',"
                        + " finished_at = null where state = 'dead' and order_sequence = 2");
        assertThat(fixture.count("order_blocks", "true")).isZero();
        release(blocking, "a");
        assertThat(queue(blocking, "a")).isEqualTo("1 dead, 2 pending, (3)");

        end(blocking, "a", 2, "dead");
        fixture.database.execute("update subscriptions set on_dead = 'CONTINUE' where id = '" + blocking + "'");
        release(blocking, "a");
        assertThat(queue(blocking, "a")).isEqualTo("1 dead, 2 dead, 3 pending");
    }

    @Test
    void a_subscription_that_wants_no_order_any_more_gets_all_that_waits() {
        UUID ordered = fixture.subscription(shop, BLOCKING);
        fixture.recordKeyed(shop, 4, "a");
        fixture.publisher().runOnce();
        release(ordered, "a");
        end(ordered, "a", 1, "dead");
        fixture.database.execute(
                "update subscriptions set ordering = 'NONE', on_dead = 'CONTINUE' where id = '" + ordered + "'");
        assertThat(releases.sweep(fixture.clock).sweep()).isEqualTo(3);
        assertThat(queue(ordered, "a")).isEqualTo("1 dead, 2 pending, 3 pending, 4 pending");
    }

    /** More queues than one sweep looks at: the next call goes on after them, and the last begins anew. */
    @Test
    void the_sweep_goes_round_all_queues() {
        UUID ordered = fixture.subscription(shop, BY_KEY);
        fixture.database.execute("""
                insert into outbox_events (ordinal, tenant_id, app_id, epoch, request_started_at, event_id, event_name,
                  event_version, occurred_at, recorded_at, producer, aggregate_type, aggregate_id, actor, correlation_id,
                  causation_id, payload, metadata, payload_bytes, payload_sha256, status, available_at, created_at, updated_at,
                  ordering_key, order_sequence)
                select nextval('ordinals'), %d, '%s', '%s', at, 'evt_' || n, 'order.order.placed.v1', 1, at, at, 'order', 'order', 'o-1', '{}', 'cor',
                  'cau', '{}', '{}', b, sha256(b), 'PENDING', at, at, at, 'k' || n, 1
                from generate_series(1, 2100) n, (select '%s'::timestamptz at, '{}'::bytea b) v
                """.formatted(shop.id(), shop.app(), shop.epoch(), fixture.clock.instant()));
        Fanout publisher = fixture.publisher();
        while (publisher.runOnce().more()) {
            assertThat(fixture.moved.taken()).isNotEmpty();
        }
        OrderSweep sweep = releases.sweep(fixture.clock);
        assertThat(List.of(sweep.sweep(), sweep.sweep(), sweep.sweep(), sweep.sweep()))
                .containsExactly(1000, 1000, 100, 0);
        assertThat(fixture.count("deliveries_live", "next_attempt_at = 'infinity'"))
                .isZero();
        assertThat(fixture.count("deliveries_live", "subscription_id = '" + ordered + "'"))
                .isEqualTo(2100);
    }

    private record Sent(UUID subscription, String key, long sequence, boolean last) {}

    /**
     * Publishers, senders and whoever releases, all at once, with hints after each commit and no sweep, or with the sweep and no hints: at the
     * end nothing is held, and nothing was sent before all before it had ended.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void fan_out_and_completion_in_any_order_hold_nobody_back_and_let_nobody_pass(boolean hints) throws Exception {
        List<UUID> subscriptions = List.of(fixture.subscription(shop, BY_KEY), fixture.subscription(shop, BY_KEY));
        int keys = 5;
        int events = 20;
        int total = keys * events * subscriptions.size();
        ConcurrentLinkedQueue<Sent> sent = new ConcurrentLinkedQueue<>();
        AtomicBoolean over = new AtomicBoolean();
        ExecutorService threads = Executors.newCachedThreadPool();
        List<Future<?>> work = new ArrayList<>();
        for (int p = 0; p < 2; p++) {
            Fanout publisher = fixture.publisher();
            work.add(threads.submit((Callable<Void>) () -> {
                while (!over.get()) {
                    publisher.runOnce();
                    hint(hints, fixture.moved.taken());
                }
                return null;
            }));
        }
        for (int s = 0; s < 3; s++) {
            Random random = new Random(s);
            work.add(threads.submit((Callable<Void>) () -> {
                while (!over.get()) {
                    for (Sent one : sendings(random, sent)) {
                        if (one.last()) {
                            hint(hints, Set.of(new OrderedKey(one.subscription(), one.key())));
                        }
                    }
                }
                return null;
            }));
        }
        if (!hints) {
            OrderSweep sweep = releases.sweep(fixture.clock);
            work.add(threads.submit((Callable<Void>) () -> {
                while (!over.get()) {
                    sweep.sweep();
                }
                return null;
            }));
        }
        for (int n = 0; n < events; n++) {
            for (int k = 0; k < keys; k++) {
                fixture.recordKeyed(shop, 1, "k" + k);
            }
        }
        org.awaitility.Awaitility.await()
                .atMost(java.time.Duration.ofMinutes(3))
                .until(() -> work.stream().anyMatch(Future::isDone)
                        || fixture.count("deliveries_finished", "true") == total);
        over.set(true);
        for (Future<?> one : work) {
            one.get();
        }
        threads.shutdown();
        assertThat(fixture.count("deliveries_finished", "true")).isEqualTo(total);
        Map<OrderedKey, Long> ended = new HashMap<>();
        for (Sent one : sent) {
            long before = ended.getOrDefault(new OrderedKey(one.subscription(), one.key()), 0L);
            assertThat(one.sequence()).as("%s after %s", one, before).isEqualTo(before + 1);
            if (one.last()) {
                ended.put(new OrderedKey(one.subscription(), one.key()), one.sequence());
            }
        }
        assertThat(ended)
                .hasSize(keys * subscriptions.size())
                .allSatisfy((key, last) -> assertThat(last).isEqualTo(events));
    }

    private List<Sent> sendings(Random random, ConcurrentLinkedQueue<Sent> sent) {
        try {
            return fixture.transactions.inNew(() -> send(random, sent));
        } catch (IllegalStateException beaten) {
            // a row that somebody moves to another partition cannot be skipped; nothing was noted
            assertThat(SqlState.of(beaten)).isEqualTo(SqlState.CONFLICT);
            return List.of();
        }
    }

    /** Takes what is due, notes it, and gives it some outcome; the row stays locked from before the note to the commit. */
    private List<Sent> send(Random random, ConcurrentLinkedQueue<Sent> sent) throws SQLException {
        List<Sent> taken = new ArrayList<>();
        try (Connection connection = fixture.transactions.jta().getConnection();
                ResultSet rows = connection
                        .createStatement()
                        .executeQuery(
                                "select id, subscription_id, order_key, order_sequence from deliveries_live where next_attempt_at < 'infinity'"
                                        + " limit 3 for no key update skip locked")) {
            while (rows.next()) {
                String state =
                        List.of("retrying", "delivered", "failed", "dead").get(random.nextInt(4));
                Sent one = new Sent(
                        rows.getObject(2, UUID.class), rows.getString(3), rows.getLong(4), !state.equals("retrying"));
                taken.add(one);
                sent.add(one);
                try (var update = connection.createStatement()) {
                    update.execute("update deliveries set state = '" + state
                            + "', attempts = attempts + 1, cycle_attempts = cycle_attempts + 1," + " next_attempt_at = "
                            + (one.last() ? "null" : "now()") + " where id = " + rows.getLong(1));
                }
            }
        }
        return taken;
    }

    private void hint(boolean hints, Set<OrderedKey> keys) {
        if (hints && !keys.isEmpty()) {
            releases.release(keys, fixture.clock.instant());
        }
    }
}
