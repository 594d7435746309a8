package dev.ringfence.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.delivery.DeliveryCounters;
import dev.ringfence.delivery.DeliveryFixture;
import dev.ringfence.ordering.MovedKeys;
import dev.ringfence.receipt.Attempted;
import dev.ringfence.receipt.Outcomes;
import dev.ringfence.receipt.ReceiptRepository;
import dev.ringfence.receipt.Receipts;
import dev.ringfence.receipt.Settlement;
import dev.ringfence.reservation.ReservationOrder;
import dev.ringfence.reservation.ReservationRepository;
import dev.ringfence.reservation.Reservations;
import dev.ringfence.reservation.Reserved;
import dev.ringfence.reservation.Wanted;
import dev.ringfence.subscription.RealStreaks;
import dev.ringfence.subscription.RetryPolicy;
import dev.ringfence.subscription.Semantics;
import dev.ringfence.transport.SendResult;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Weeks go while deliveries are reserved and settled, whose waits for a lock end after two seconds. */
class RetentionWhileDeliveringIT {
    private static final Duration MAX_AGE = Duration.ofHours(24);
    private static final int OLDEST = 30;
    private static final int DELIVERIES = 200;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private DeliveryFixture fixture;
    private OldWeeks old;
    private RetentionRepository weeks;
    private Reservations reservations;
    private Receipts receipts;

    @BeforeEach
    void open() {
        fixture = new DeliveryFixture();
        old = new OldWeeks(fixture, OLDEST);
        weeks = new RetentionRepository(fixture.transactions);
        reservations = new Reservations(new ReservationRepository(fixture.transactions), new DeliveryCounters());
        receipts = new Receipts(
                new ReceiptRepository(fixture.transactions), RealStreaks.over(fixture.transactions), new MovedKeys());
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        fixture.close();
    }

    private List<Long> due() {
        long tenant = fixture.tenant("tenant-" + UUID.randomUUID());
        UUID subscription = fixture.subscription(tenant, "AT_LEAST_ONCE", 6);
        return fixture.deliveries(tenant, subscription, DELIVERIES, now().minusSeconds(1));
    }

    private static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MICROS);
    }

    /** Reservation and receipt of each, two at a time; how many were settled. */
    private int deliver(List<Long> ids) {
        int settled = 0;
        for (int i = 0; i < ids.size(); i += 2) {
            settled += settle(reserve(ids.subList(i, i + 2)));
        }
        return settled;
    }

    private List<Reserved> reserve(List<Long> ids) {
        List<Wanted> wanted = ids.stream()
                .map(id -> new Wanted(id, 6, Duration.ofSeconds(60), Duration.ofSeconds(2)))
                .toList();
        ReservationOrder order =
                new ReservationOrder("node-1", now(), MAX_AGE, Duration.ofSeconds(3), Duration.ofMinutes(10), wanted);
        return bounded(() -> reservations.reserve(order));
    }

    private int settle(List<Reserved> reserved) {
        RetryPolicy policy = new RetryPolicy(List.of(60, 300), 0, 6);
        List<Settlement> settlements = reserved.stream()
                .map(one -> Outcomes.of(
                        new Attempted(one, policy, List.of(), Semantics.AT_LEAST_ONCE, 6, MAX_AGE),
                        new SendResult.Acknowledged(200, null),
                        now(),
                        0))
                .toList();
        return bounded(() -> receipts.settle(settlements, now())).size();
    }

    /** A transaction as the server's pool gives it, but less patient. */
    private <T> T bounded(Callable<T> work) {
        return fixture.transactions.inNew(() -> {
            try (Connection session = fixture.transactions.jta().getConnection();
                    var statement = session.createStatement()) {
                statement.execute("set local lock_timeout = '2s'");
            }
            return work.call();
        });
    }

    @Test
    @Tag("RT-1")
    void deliveries_are_reserved_and_settled_while_weeks_go() throws Exception {
        List<Future<Integer>> delivering = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            List<Long> ids = due();
            delivering.add(threads.submit(() -> deliver(ids)));
        }
        List<String> during = new ArrayList<>();
        while (!delivering.stream().allMatch(Future::isDone)) {
            if (weeks.dropDeliveries(OldWeeks.since(2)) instanceof WeekDrop.Dropped week) {
                during.add(week.week());
            }
            weeks.dropEvents(OldWeeks.since(2));
        }

        for (Future<Integer> done : delivering) {
            assertThat(done.get()).isEqualTo(DELIVERIES);
        }
        assertThat(during).as("weeks that went meanwhile").isNotEmpty();
        Awaitility.await()
                .until(() -> weeks.dropDeliveries(OldWeeks.since(2)) instanceof WeekDrop.Nothing
                        && weeks.dropEvents(OldWeeks.since(2)) instanceof WeekDrop.Nothing);
        assertThat(old.has("deliveries_finished", 3)).isFalse();
        assertThat(old.has("outbox_events", 3)).isFalse();
        assertThat(fixture.database.number("select count(*) from ringfence.deliveries where state = 'delivered'"))
                .isEqualTo(2L * DELIVERIES);
    }

    @Test
    @Tag("RT-1")
    void what_waits_behind_a_drop_that_waits_goes_on_while_the_drop_gives_up() throws Exception {
        List<Reserved> sent = reserve(due());
        try (Connection reader = fixture.database.connect();
                var statement = reader.createStatement()) {
            reader.setAutoCommit(false);
            statement.execute("select count(*) from delivery_attempts");
            Future<WeekDrop> dropping = threads.submit(() -> weeks.dropDeliveries(OldWeeks.since(2)));
            Awaitility.await()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> dropping.isDone() || waitsForAllAttempts());

            assertThat(settle(sent)).isEqualTo(DELIVERIES);

            assertThat(dropping.get()).isEqualTo(new WeekDrop.Busy());
            reader.rollback();
        }
    }

    private boolean waitsForAllAttempts() {
        return fixture.database.number(
                        "select count(*) from pg_locks where not granted and mode = 'AccessExclusiveLock'"
                                + " and relation = 'ringfence.delivery_attempts'::regclass")
                > 0;
    }

    @Test
    @Tag("RT-1")
    void a_receipt_under_way_ends_before_a_week_goes() throws Exception {
        List<Reserved> sent = reserve(due());
        List<WeekDrop> met = new ArrayList<>();
        fixture.transactions.inNew(() -> {
            int settled = receipts.settle(
                            List.of(Outcomes.of(
                                    new Attempted(
                                            sent.get(0),
                                            new RetryPolicy(List.of(60), 0, 6),
                                            List.of(),
                                            Semantics.AT_LEAST_ONCE,
                                            6,
                                            MAX_AGE),
                                    new SendResult.Acknowledged(200, null),
                                    now(),
                                    0)),
                            now())
                    .size();
            met.add(threads.submit(() -> weeks.dropDeliveries(OldWeeks.since(2)))
                    .get());
            return settled;
        });

        assertThat(met).containsExactly(new WeekDrop.Busy());
        assertThat(fixture.delivery(sent.get(0).deliveryId(), "state")).isEqualTo("delivered");
        assertThat(weeks.dropDeliveries(OldWeeks.since(2))).isInstanceOf(WeekDrop.Dropped.class);
    }
}
