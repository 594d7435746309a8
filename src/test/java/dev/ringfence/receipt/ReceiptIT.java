package dev.ringfence.receipt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.config.Settings;
import dev.ringfence.delivery.DeliveryCounters;
import dev.ringfence.delivery.DeliveryFixture;
import dev.ringfence.ordering.MovedKeys;
import dev.ringfence.reservation.AbandonedAttempts;
import dev.ringfence.reservation.AbandonedRepository;
import dev.ringfence.reservation.Reconciler;
import dev.ringfence.reservation.ReservationOrder;
import dev.ringfence.reservation.ReservationRepository;
import dev.ringfence.reservation.Reservations;
import dev.ringfence.reservation.Reserved;
import dev.ringfence.reservation.Wanted;
import dev.ringfence.subscription.RealStreaks;
import dev.ringfence.subscription.RetryPolicy;
import dev.ringfence.subscription.Semantics;
import dev.ringfence.transport.OutcomeCode;
import dev.ringfence.transport.Receipt;
import dev.ringfence.transport.RetryAfter;
import dev.ringfence.transport.SendResult;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Receipts, late answers and reconciliation against PostgreSQL. */
class ReceiptIT {
    private static final Instant NOW = Instant.now().truncatedTo(ChronoUnit.MICROS);
    private static final Duration MAX_AGE = Duration.ofHours(24);
    private static final SendResult TIMEOUT = new SendResult.Uncertain(OutcomeCode.TIMEOUT, null, null);
    private static final SendResult ACKNOWLEDGED = new SendResult.Acknowledged(200, null);

    private static DeliveryFixture fixture;
    private static Reservations reservations;
    private static ReceiptDesk desk;

    private long tenant;
    private UUID subscription;

    @BeforeAll
    static void open() {
        fixture = new DeliveryFixture();
        reservations = new Reservations(new ReservationRepository(fixture.transactions), new DeliveryCounters());
        desk = new ReceiptDesk(new TransactionalReceipts(), new DeliveryCounters());
    }

    @AfterAll
    static void close() {
        fixture.close();
    }

    /** The container's REQUIRES_NEW, by hand. */
    private static final class TransactionalReceipts extends Receipts {
        TransactionalReceipts() {
            super(new ReceiptRepository(fixture.transactions), RealStreaks.over(fixture.transactions), new MovedKeys());
        }

        @Override
        public Set<UUID> settle(List<Settlement> settlements, Instant now) {
            return fixture.transactions.inNew(() -> super.settle(settlements, now));
        }
    }

    private static final class TransactionalAbandoned extends AbandonedAttempts {
        TransactionalAbandoned(Instant now) {
            super(
                    new AbandonedRepository(fixture.transactions),
                    new MovedKeys(),
                    Settings.from(
                            Map.of("ringfence.secrets.key", Base64.getEncoder().encodeToString(new byte[32]))),
                    Clock.fixed(now, ZoneOffset.UTC));
        }

        @Override
        public List<Long> find(long afterId, int limit) {
            return fixture.transactions.inNew(() -> super.find(afterId, limit));
        }

        @Override
        public List<AbandonedRepository.Closed> close(List<Long> ids) {
            return fixture.transactions.inNew(() -> super.close(ids));
        }
    }

    private static int reconcile(Instant now) {
        return reconcile(now, new DeliveryCounters());
    }

    private static int reconcile(Instant now, DeliveryCounters counters) {
        return new Reconciler(new TransactionalAbandoned(now), counters).reconcile();
    }

    @BeforeEach
    void enrol() {
        tenant = fixture.tenant("tenant-" + UUID.randomUUID());
        subscription = fixture.subscription(tenant, "AT_LEAST_ONCE", 6);
    }

    private static List<Reserved> reserve(List<Long> ids, Instant now) {
        List<Wanted> wanted = ids.stream()
                .map(id -> new Wanted(id, 6, Duration.ofSeconds(60), Duration.ofSeconds(2)))
                .toList();
        ReservationOrder order =
                new ReservationOrder("node-1", now, MAX_AGE, Duration.ofSeconds(3), Duration.ofMinutes(10), wanted);
        return fixture.transactions.inNew(() -> reservations.reserve(order));
    }

    private List<Reserved> reserved(int count) {
        return reserve(fixture.deliveries(tenant, subscription, count, NOW.minusSeconds(1)), NOW);
    }

    private static Settlement settlement(Reserved reserved, SendResult result, Instant now) {
        RetryPolicy policy = new RetryPolicy(List.of(60, 300), 0, 6);
        return Outcomes.of(
                new Attempted(reserved, policy, List.of(), Semantics.AT_LEAST_ONCE, 6, MAX_AGE), result, now, 0);
    }

    @Test
    @Tag("DL-3")
    void a_later_success_keeps_the_time_of_the_first() {
        Reserved again = reserved(1).get(0);
        fixture.update(
                "update deliveries set accepted_at = timestamptz '2026-01-02T03:04:05Z' where id = ?",
                again.deliveryId());

        hand(again, ACKNOWLEDGED);

        assertThat(fixture.delivery(again.deliveryId(), "state || ' ' || (accepted_at at time zone 'UTC')::text"))
                .isEqualTo("delivered 2026-01-02 03:04:05");
    }

    private static void hand(Reserved reserved, SendResult result) {
        desk.hand(List.of(settlement(reserved, result, NOW)), NOW);
    }

    private static void leaseEnds(long id) {
        fixture.update("update deliveries set lease_until = now() - interval '1 second' where id = ?", id);
    }

    private static void due(long id) {
        fixture.update(
                "update deliveries set next_attempt_at = ? where id = ?",
                NOW.minusSeconds(1).atOffset(ZoneOffset.UTC),
                id);
    }

    @Test
    @Tag("AT-2")
    @Tag("AT-4")
    void each_outcome_is_stored_with_its_attempt_and_moves_its_delivery() {
        List<Reserved> all = reserved(5);
        Receipt receipt = new Receipt(true, 1, 0, "app", List.of(new Receipt.Result("a", "app", "17")));
        List<SendResult> results = List.of(
                new SendResult.Acknowledged(202, receipt),
                new SendResult.Failed(OutcomeCode.REFUSED, 404),
                new SendResult.Uncertain(OutcomeCode.RATE_LIMITED, 429, new RetryAfter.Seconds(90)),
                new SendResult.NotSent(OutcomeCode.CONNECT_FAILED),
                new SendResult.Forbidden());
        List<Settlement> settlements = new ArrayList<>();
        for (int i = 0; i < results.size(); i++) {
            settlements.add(settlement(all.get(i), results.get(i), NOW));
        }

        desk.hand(settlements, NOW);

        List<String> rows = all.stream()
                .map(r -> fixture.delivery(
                                r.deliveryId(),
                                "concat_ws(' ', state, last_code, last_status, next_attempt_at - '" + NOW
                                        + "', accepted_at is not null, finished_at is not null, reservation_id)")
                        + " | " + fixture.ledger(r.deliveryId()))
                .toList();
        assertThat(rows)
                .containsExactly(
                        "delivered 202 t t | 1:ACKNOWLEDGED",
                        "dead REFUSED 404 f t | 1:FAILED/REFUSED",
                        "retrying RATE_LIMITED 429 00:01:30 f f | 1:UNCERTAIN/RATE_LIMITED",
                        "retrying CONNECT_FAILED 00:01:00 f f | 1:NOT_SENT/CONNECT_FAILED",
                        "failed DESTINATION_NOT_ALLOWED f t | 1:FAILED/DESTINATION_NOT_ALLOWED");
        assertThat(fixture.text(
                        "select receipt #>> '{results,0,id}' from delivery_attempts where delivery_id = ?",
                        all.get(0).deliveryId()))
                .isEqualTo("17");
    }

    @Test
    @Tag("AT-5")
    void after_a_crash_the_attempt_is_uncertain_and_spent_and_the_delivery_goes_on() {
        Reserved lost = reserved(1).get(0);
        assertThat(reconcile(NOW)).as("the lease is not over").isZero();

        leaseEnds(lost.deliveryId());
        assertThat(reconcile(NOW)).isEqualTo(1);

        assertThat(fixture.ledger(lost.deliveryId())).isEqualTo("1:UNCERTAIN/ABANDONED");
        assertThat(fixture.delivery(lost.deliveryId(), "concat_ws(' ', state, cycle_attempts, reservation_id)"))
                .isEqualTo("retrying 1");
        Reserved next = reserve(List.of(lost.deliveryId()), NOW.plusSeconds(61)).get(0);
        assertThat(next.number()).isEqualTo(2);
        assertThat(next.body()).isEqualTo(lost.body());
        assertThat(next.messageId()).isEqualTo(lost.messageId());
    }

    @Test
    @Tag("AT-2")
    void six_attempts_a_cycle_whatever_crashes() {
        long id = reserved(1).get(0).deliveryId();
        for (int crash = 1; crash <= 6; crash++) {
            leaseEnds(id);
            assertThat(reconcile(NOW)).isEqualTo(1);
            due(id);
            assertThat(reserve(List.of(id), NOW)).hasSize(crash < 6 ? 1 : 0);
        }
        assertThat(fixture.ledger(id).split(" ")).hasSize(6).allMatch(a -> a.endsWith(":UNCERTAIN/ABANDONED"));
        assertThat(fixture.delivery(id, "state || ' ' || last_code")).isEqualTo("dead EXHAUSTED");
    }

    @Test
    @Tag("AT-5")
    void what_must_not_be_sent_twice_or_is_too_old_ends_without_another_request() {
        UUID once = fixture.subscription(tenant, "AT_MOST_ONCE", 6);
        long atMostOnce =
                fixture.deliveries(tenant, once, 1, NOW.minusSeconds(1)).get(0);
        reserve(List.of(atMostOnce), NOW);
        long old = reserved(1).get(0).deliveryId();
        leaseEnds(atMostOnce);
        leaseEnds(old);

        fixture.update("update tenant_lifecycle set phase = phase where tenant_id = ?", tenant);
        DeliveryCounters counters = new DeliveryCounters();
        assertThat(reconcile(NOW.plus(MAX_AGE), counters)).isEqualTo(2);

        assertThat(fixture.delivery(atMostOnce, "state")).isEqualTo("dead");
        assertThat(fixture.delivery(old, "state || ' ' || last_code")).isEqualTo("dead EXPIRED");
        assertThat(counters.snapshot()).isEqualTo(Map.of("attempt.ABANDONED", 2L, "delivery.dead", 2L));
    }

    @Test
    @Tag("SB-6")
    void nodes_that_died_disable_nobody() {
        UUID once = fixture.subscription(tenant, "AT_MOST_ONCE", 6);
        fixture.update("update subscriptions set dead_threshold = 3 where id = ?", once);
        List<Long> ids = fixture.deliveries(tenant, once, 5, NOW.minusSeconds(1));
        reserve(ids, NOW);
        ids.forEach(ReceiptIT::leaseEnds);

        assertThat(reconcile(NOW)).isEqualTo(5);

        assertThat(ids.stream().map(id -> fixture.delivery(id, "state || ' ' || last_code")))
                .containsOnly("dead ABANDONED");
        assertThat(fixture.text("select status || ' ' || consecutive_dead from subscriptions where id = ?", once))
                .isEqualTo("ACTIVE 0");
    }

    @Test
    @Tag("AT-2")
    @Tag("AT-8")
    void an_answer_after_reconciliation_changes_no_outcome() {
        Reserved slow = reserved(1).get(0);
        leaseEnds(slow.deliveryId());
        reconcile(NOW);
        due(slow.deliveryId());
        reserve(List.of(slow.deliveryId()), NOW);

        hand(slow, ACKNOWLEDGED);

        assertThat(fixture.ledger(slow.deliveryId())).isEqualTo("1:UNCERTAIN/ABANDONED 2:SENDING");
        assertThat(fixture.delivery(slow.deliveryId(), "state || ' ' || (reservation_id is not null)"))
                .isEqualTo("retrying true");
        assertThat(fixture.text(
                        "select late_state || ' ' || late_status from delivery_attempts where delivery_id = ? and number = 1",
                        slow.deliveryId()))
                .isEqualTo("ACKNOWLEDGED 200");
    }

    @Test
    @Tag("AT-2")
    void a_receipt_that_cannot_be_stored_harms_no_other_and_gives_no_attempt_back() {
        List<Reserved> all = reserved(3);
        long poisoned = all.get(1).deliveryId();
        fixture.database.execute("create function ringfence.poison() returns trigger language plpgsql as"
                + " 'begin raise exception ''receipt storage is broken''; end'");
        fixture.database.execute("create trigger poison before update on ringfence.delivery_attempts for each row"
                + " when (new.state = 'ACKNOWLEDGED' and new.delivery_id = " + poisoned
                + ") execute function ringfence.poison()");
        try {
            desk.hand(all.stream().map(r -> settlement(r, ACKNOWLEDGED, NOW)).toList(), NOW);
        } finally {
            fixture.database.execute("drop function ringfence.poison() cascade");
        }

        assertThat(all.stream().map(r -> fixture.delivery(r.deliveryId(), "state || ' ' || cycle_attempts")))
                .containsExactly("delivered 1", "pending 1", "delivered 1");
        assertThat(fixture.ledger(poisoned)).isEqualTo("1:SENDING");
    }

    @Test
    @Tag("AT-2")
    void overlapping_batches_in_opposite_orders_settle_each_attempt_once() throws Exception {
        // So many failures in a row would open it.
        fixture.update("update subscriptions set circuit_threshold = 0 where id = ?", subscription);
        for (int round = 0; round < 5; round++) {
            List<Settlement> ascending =
                    reserved(100).stream().map(r -> settlement(r, TIMEOUT, NOW)).toList();
            List<Settlement> descending = new ArrayList<>(ascending);
            Collections.reverse(descending);
            ExecutorService workers = Executors.newFixedThreadPool(2);
            CountDownLatch start = new CountDownLatch(1);
            try {
                List<Future<?>> both = new ArrayList<>();
                for (List<Settlement> batch : List.of(ascending, descending)) {
                    both.add(workers.submit(() -> {
                        start.await();
                        desk.hand(batch, NOW);
                        return null;
                    }));
                }
                start.countDown();
                for (Future<?> each : both) {
                    each.get();
                }
            } finally {
                workers.shutdownNow();
            }
        }
        assertThat(fixture.database.number("select count(*) from ringfence.deliveries where tenant_id = " + tenant
                        + " and state = 'retrying' and cycle_attempts = 1 and reservation_id is null"))
                .isEqualTo(500);
        assertThat(fixture.database.number("select count(*) from ringfence.delivery_attempts where tenant_id = "
                        + tenant + " and state = 'UNCERTAIN'"))
                .isEqualTo(500);
    }

    @Test
    @Tag("FN-2")
    void a_tenant_under_an_exclusive_fence_is_left_to_the_next_reconciliation() throws Exception {
        Reserved lost = reserved(1).get(0);
        leaseEnds(lost.deliveryId());
        try (var connection = fixture.database.connect();
                var statement = connection.createStatement()) {
            statement.execute("select pg_advisory_lock(fence_key) from tenant_lifecycle where tenant_id = " + tenant);
            assertThat(reconcile(NOW)).isZero();
        }
        assertThat(reconcile(NOW)).isEqualTo(1);
    }
}
