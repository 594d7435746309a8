package dev.ringfence.receipt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.config.DataSources;
import dev.ringfence.delivery.DeliveryCounters;
import dev.ringfence.delivery.DeliveryFixture;
import dev.ringfence.delivery.DeliveryState;
import dev.ringfence.harness.BorrowedConnection;
import dev.ringfence.harness.Explained;
import dev.ringfence.harness.LocalTransactions;
import dev.ringfence.reservation.ReservationOrder;
import dev.ringfence.reservation.ReservationRepository;
import dev.ringfence.reservation.Reservations;
import dev.ringfence.reservation.Reserved;
import dev.ringfence.reservation.Wanted;
import dev.ringfence.subscription.RetryPolicy;
import dev.ringfence.subscription.Semantics;
import dev.ringfence.transport.OutcomeCode;
import dev.ringfence.transport.SendResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** What a batch costs follows the batch, also where PostgreSQL's statistics are still those of empty tables. */
class HotPlanIT {
    private static final Instant NOW = Instant.now().truncatedTo(ChronoUnit.MICROS);
    private static final Duration MAX_AGE = Duration.ofHours(24);
    private static final int BATCH = 200;
    private static final int MANY = 20_000;
    private static final String HOT = "^(deliveries|delivery_attempts|outbox_events)";

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

        Batch batch = new Batch(fixture.transactions, explained);

        assertThat(List.of(batch.reserved(), batch.released(), batch.settled(), batch.ended()))
                .containsExactly(BATCH, BATCH / 2, BATCH / 2, BATCH);
        explained.assertEachStepStaysBelow(2L * BATCH, 4);
        explained.assertIndexUnused("with ", "deliveries_live_lease");
    }

    /**
     * A pooled connection keeps a plan until its tables are analyzed again. The first plans are made here while the tables are empty: as a vacuum leaves
     * them, without a page, and as it leaves them where it cannot give their pages back.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 400})
    @Tag("AT-1")
    @Tag("AT-2")
    @Tag("AT-3")
    void also_with_plans_that_were_kept_from_empty_tables(int pages) throws SQLException {
        fixture.database.execute("vacuum analyze");
        try (var superuser = fixture.database.superuser();
                var statement = superuser.createStatement()) {
            statement.execute("update pg_class set relpages = " + pages + ", reltuples = 0"
                    + " where relnamespace = 'ringfence'::regnamespace and relkind = 'r' and relname ~ '" + HOT + "'");
        }
        try (Connection kept = keptSession()) {
            LocalTransactions session =
                    new LocalTransactions(BorrowedConnection.dataSource(() -> BorrowedConnection.of(kept, () -> {})));
            due = LongStream.range(0, 2 * BATCH).boxed().toList();
            Batch planned = new Batch(session, session);
            fill();

            Batch batch = new Batch(session, session);

            assertThat(List.of(planned.reserved(), planned.ended())).containsExactly(0, 0);
            assertThat(List.of(batch.reserved(), batch.released(), batch.settled(), batch.ended()))
                    .containsExactly(BATCH, BATCH / 2, BATCH / 2, BATCH);
            assertThat(batch.read)
                    .hasSize(4)
                    .allSatisfy(read -> assertThat(read).isBetween(1L, 5L * BATCH));
        }
    }

    /** As a pool's, with every statement prepared and planned once. */
    private Connection keptSession() throws SQLException {
        PGSimpleDataSource source = (PGSimpleDataSource) fixture.database.dataSource();
        source.setPrepareThreshold(1);
        Connection kept = source.getConnection();
        try (var statement = kept.createStatement()) {
            statement.execute("set enable_seqscan = off; set jit = off; set plan_cache_mode = force_generic_plan");
        }
        return kept;
    }

    /** What is done for a batch, each step in its transaction, and how many rows of the hot tables each read. */
    private final class Batch {
        private final LocalTransactions transactions;
        private final List<Long> read = new ArrayList<>();
        private final List<Reserved> reserved;
        private final int released;
        private final int settled;
        private final int ended;

        Batch(LocalTransactions transactions, DataSources sources) {
            this.transactions = transactions;
            Reservations reservations = new Reservations(new ReservationRepository(sources), new DeliveryCounters());
            ReceiptRepository receipts = new ReceiptRepository(sources);
            ConclusionRepository conclusions = new ConclusionRepository(sources);
            reserved = step(() -> reservations.reserve(order(due.subList(0, BATCH))));
            List<Reserved> open = reserved.isEmpty() ? unknown() : reserved;
            released = step(() -> reservations.release(open.subList(0, BATCH / 2), NOW));
            settled = step(() -> receipts.settle(
                            open.subList(BATCH / 2, BATCH).stream()
                                    .map(HotPlanIT::acknowledged)
                                    .toList(),
                            NOW.atOffset(ZoneOffset.UTC))
                    .troubled()
                    .size());
            ended = step(() -> conclusions
                    .conclude(expired(due.subList(BATCH, 2 * BATCH)), NOW.atOffset(ZoneOffset.UTC))
                    .size());
        }

        int reserved() {
            return reserved.size();
        }

        int released() {
            return released;
        }

        int settled() {
            return settled;
        }

        int ended() {
            return ended;
        }

        private <T> T step(Callable<T> work) {
            return transactions.inNew(() -> {
                long before = rowsRead();
                T result = work.call();
                read.add(rowsRead() - before);
                return result;
            });
        }

        private long rowsRead() throws SQLException {
            try (var connection = transactions.jta().getConnection();
                    var statement = connection.createStatement();
                    var rows = statement.executeQuery(
                            "select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0) from pg_stat_xact_user_tables where relname ~ '"
                                    + HOT + "'")) {
                rows.next();
                return rows.getLong(1);
            }
        }

        private List<Reserved> unknown() {
            return due.stream().limit(BATCH).map(HotPlanIT::unknown).toList();
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
