package dev.ringfence.receipt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.delivery.DeliveryCounters;
import dev.ringfence.delivery.DeliveryFixture;
import dev.ringfence.delivery.DeliveryState;
import dev.ringfence.harness.Explained;
import dev.ringfence.ordering.MovedKeys;
import dev.ringfence.reservation.ReservationOrder;
import dev.ringfence.reservation.ReservationRepository;
import dev.ringfence.reservation.Reservations;
import dev.ringfence.reservation.Reserved;
import dev.ringfence.reservation.Wanted;
import dev.ringfence.subscription.RealStreaks;
import dev.ringfence.subscription.RetryPolicy;
import dev.ringfence.subscription.Semantics;
import dev.ringfence.transport.OutcomeCode;
import dev.ringfence.transport.SendResult;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a batch costs follows the batch, also where PostgreSQL's statistics are still those of empty tables. */
class HotPlanIT {
    private static final Instant NOW = Instant.now().truncatedTo(ChronoUnit.MICROS);
    private static final Duration MAX_AGE = Duration.ofHours(24);
    private static final int BATCH = 200;
    private static final int MANY = 20_000;

    private final DeliveryFixture fixture = new DeliveryFixture();
    private final Explained explained = new Explained(fixture.transactions);
    private List<Long> due;

    @BeforeEach
    void fill() {
        fixture.database.execute("analyze");
        long tenant = fixture.tenant("one");
        UUID subscription = fixture.subscription(tenant, "AT_LEAST_ONCE", 6);
        due = fixture.deliveries(tenant, subscription, 2 * BATCH, NOW.minusSeconds(1));
        fixture.update(
                "insert into deliveries (id, tenant_id, app_id, epoch, subscription_id, event_ordinal, event_recorded_at, event_id,"
                        + " message_id, mode, state, protocol, cycle_started_at, next_attempt_at, created_at, updated_at)"
                        + " select nextval('ordinals'), tenant_id, app_id, epoch, subscription_id, event_ordinal, event_recorded_at,"
                        + " event_id, message_id, mode, state, protocol, cycle_started_at, next_attempt_at, created_at, updated_at"
                        + " from deliveries_live, generate_series(1, ?)",
                MANY / (2 * BATCH));
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    @Tag("AT-1")
    @Tag("AT-2")
    @Tag("AT-3")
    void each_step_of_a_batch_looks_at_its_own_rows_only() {
        Reservations reservations = new Reservations(new ReservationRepository(explained), new DeliveryCounters());
        Receipts receipts =
                new Receipts(new ReceiptRepository(explained), RealStreaks.over(explained), new MovedKeys());
        ConclusionRepository conclusions = new ConclusionRepository(explained);

        List<Reserved> reserved = fixture.transactions.inNew(() -> reservations.reserve(order(due.subList(0, BATCH))));
        List<Reserved> back = reserved.subList(0, BATCH / 2);
        List<Settlement> answered = reserved.subList(BATCH / 2, BATCH).stream()
                .map(HotPlanIT::acknowledged)
                .toList();
        int released = fixture.transactions.inNew(() -> reservations.release(back, NOW));
        int settled =
                fixture.transactions.inNew(() -> receipts.settle(answered, NOW)).size();
        int ended = fixture.transactions
                .inNew(() -> conclusions.conclude(expired(due.subList(BATCH, 2 * BATCH)), NOW.atOffset(ZoneOffset.UTC)))
                .size();

        assertThat(List.of(reserved.size(), released, settled, ended))
                .containsExactly(BATCH, BATCH / 2, BATCH / 2, BATCH);
        explained.assertEachStepStaysBelow(2L * BATCH, 4);
        explained.assertIndexUnused("with ", "deliveries_live_lease");
    }

    private static ReservationOrder order(List<Long> ids) {
        List<Wanted> wanted = ids.stream()
                .map(id -> new Wanted(id, 6, Duration.ofSeconds(60), Duration.ofSeconds(2)))
                .toList();
        return new ReservationOrder("node-1", NOW, MAX_AGE, Duration.ofSeconds(3), Duration.ofSeconds(5), wanted);
    }

    private static Settlement acknowledged(Reserved reserved) {
        RetryPolicy policy = new RetryPolicy(List.of(60, 300), 0, 6);
        Attempted attempted = new Attempted(reserved, policy, List.of(), Semantics.AT_LEAST_ONCE, 6, MAX_AGE);
        return Outcomes.of(attempted, new SendResult.Acknowledged(200, null), NOW, 0);
    }

    private static List<Conclusion> expired(List<Long> ids) {
        return ids.stream()
                .map(id -> new Conclusion(id, 1, DeliveryState.DEAD, OutcomeCode.EXPIRED))
                .toList();
    }
}
