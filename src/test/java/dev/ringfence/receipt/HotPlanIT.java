package dev.ringfence.receipt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.config.DataSources;
import dev.ringfence.config.Settings;
import dev.ringfence.delivery.DeliveryCounters;
import dev.ringfence.delivery.DeliveryFixture;
import dev.ringfence.delivery.DeliveryState;
import dev.ringfence.harness.Explained;
import dev.ringfence.harness.KeptSession;
import dev.ringfence.ordering.MovedKeys;
import dev.ringfence.reservation.AbandonedAttempts;
import dev.ringfence.reservation.AbandonedRepository;
import dev.ringfence.reservation.ReservationOrder;
import dev.ringfence.reservation.ReservationRepository;
import dev.ringfence.reservation.Reservations;
import dev.ringfence.reservation.Reserved;
import dev.ringfence.reservation.Wanted;
import dev.ringfence.subscription.RetryPolicy;
import dev.ringfence.subscription.Semantics;
import dev.ringfence.transport.OutcomeCode;
import dev.ringfence.transport.SendResult;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a batch costs follows the batch, also where PostgreSQL's statistics are still those of empty tables. */
class HotPlanIT {
    private static final Instant NOW = Instant.now().truncatedTo(ChronoUnit.MICROS);
    private static final Duration MAX_AGE = Duration.ofHours(24);
    private static final int BATCH = 200;
    private static final int MANY = 20_000;
    private static final OffsetDateTime UTC_NOW = NOW.atOffset(ZoneOffset.UTC);

    private final DeliveryFixture fixture = new DeliveryFixture();
    private List<Long> due;

    private void fill() {
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
        fixture.database.execute("analyze");
        fill();
        Explained explained = new Explained(fixture.transactions);

        List<Integer> done = new Steps(explained).run(fixture.transactions::inNew);

        assertThat(done).containsExactly(BATCH, BATCH / 2, BATCH / 2, BATCH);
        explained.assertEachStepStaysBelow(2L * BATCH, 4);
        explained.assertIndexUnused("with ", "deliveries_live_lease");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 400})
    @Tag("AT-1")
    @Tag("AT-2")
    @Tag("AT-3")
    void also_with_plans_that_were_kept_from_empty_tables(int pages) {
        try (KeptSession session = new KeptSession(fixture.database, pages)) {
            Steps steps = new Steps(session);
            due = LongStream.range(0, 2 * BATCH).boxed().toList();
            assertThat(steps.run(work -> session.count(work).result())).containsExactly(0, 0, 0, 0);
            fill();
            List<Long> read = new ArrayList<>();

            List<Integer> done = steps.run(work -> {
                KeptSession.Counted<List<Reserved>> counted = session.count(work);
                read.add(counted.read());
                return counted.result();
            });

            assertThat(done).containsExactly(BATCH, BATCH / 2, BATCH / 2, BATCH);
            assertThat(read).hasSize(4).allSatisfy(rows -> assertThat(rows).isBetween(1L, 5L * BATCH));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 400})
    @Tag("AT-5")
    void what_is_past_its_lease_is_found_without_reading_what_waits(int pages) {
        try (KeptSession session = new KeptSession(fixture.database, pages)) {
            AbandonedAttempts abandoned = new AbandonedAttempts(
                    new AbandonedRepository(session),
                    new MovedKeys(),
                    Settings.from(
                            Map.of("ringfence.secrets.key", Base64.getEncoder().encodeToString(new byte[32]))),
                    Clock.fixed(NOW, ZoneOffset.UTC));
            List<Long> nobody = LongStream.range(0, BATCH).boxed().toList();
            session.count(() -> abandoned.find(Long.MIN_VALUE, BATCH));
            session.count(() -> abandoned.close(nobody));
            fill();
            Reservations reservations =
                    new Reservations(new ReservationRepository(fixture.transactions), new DeliveryCounters());
            List<Reserved> reserved =
                    fixture.transactions.inNew(() -> reservations.reserve(order(due.subList(0, BATCH))));
            fixture.update(
                    "update deliveries_live set lease_until = now() - interval '1 second' where id between ? and ? and reservation_id is not null",
                    due.get(0),
                    due.get(BATCH / 2 - 1));

            KeptSession.Counted<List<Long>> found = session.count(() -> abandoned.find(Long.MIN_VALUE, BATCH));
            KeptSession.Counted<Integer> closed =
                    session.count(() -> abandoned.close(found.result()).size());

            assertThat(reserved).hasSize(BATCH);
            assertThat(found.result()).isEqualTo(due.subList(0, BATCH / 2));
            assertThat(closed.result()).isEqualTo(BATCH / 2);
            assertThat(List.of(found.read(), closed.read()))
                    .allSatisfy(rows -> assertThat(rows).isBetween(1L, 5L * BATCH));
        }
    }

    /** Runs a step in a transaction of its own. */
    @FunctionalInterface
    private interface Runner {
        List<Reserved> run(Callable<List<Reserved>> step);
    }

    /** What is done for a batch. */
    private final class Steps {
        private final Reservations reservations;
        private final ReceiptRepository receipts;
        private final ConclusionRepository conclusions;

        Steps(DataSources sources) {
            reservations = new Reservations(new ReservationRepository(sources), new DeliveryCounters());
            receipts = new ReceiptRepository(sources);
            conclusions = new ConclusionRepository(sources);
        }

        /** Reserves one half of what is due, gives one half of that back, stores the other's answers, and ends the rest: how many each. */
        List<Integer> run(Runner runner) {
            List<Integer> counts = new ArrayList<>();
            List<Reserved> reserved = runner.run(() -> reservations.reserve(order(due.subList(0, BATCH))));
            counts.add(reserved.size());
            List<Reserved> open = reserved.isEmpty()
                    ? due.subList(0, BATCH).stream().map(HotPlanIT::unknown).toList()
                    : reserved;
            List<Settlement> answered = open.subList(BATCH / 2, BATCH).stream()
                    .map(HotPlanIT::acknowledged)
                    .toList();
            runner.run(() -> counted(counts, reservations.release(open.subList(0, BATCH / 2), NOW)));
            runner.run(() -> counted(
                    counts, receipts.settle(answered, UTC_NOW).troubled().size()));
            runner.run(() -> counted(
                    counts,
                    conclusions
                            .conclude(expired(due.subList(BATCH, 2 * BATCH)), UTC_NOW)
                            .size()));
            return counts;
        }

        private static List<Reserved> counted(List<Integer> counts, int count) {
            counts.add(count);
            return List.of();
        }
    }

    private static Reserved unknown(long id) {
        UUID nobody = new UUID(0, id);
        return new Reserved(
                id,
                NOW,
                1,
                nobody,
                nobody,
                nobody,
                1,
                1,
                1,
                NOW,
                NOW,
                "msg_1",
                "http://127.0.0.1:9/",
                "{}",
                null,
                new byte[0],
                false,
                false);
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
