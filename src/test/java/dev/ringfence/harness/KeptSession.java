package dev.ringfence.harness;

import dev.ringfence.config.DataSources;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * One session as a pool keeps it for days: each statement is planned once, without its values, from what PostgreSQL knows of its tables then. Made over tables
 * that seem empty, it shows what such plans read when they are full.
 */
public final class KeptSession extends DataSources implements AutoCloseable {
    private static final String HOT = "'^(deliveries|delivery_attempts|outbox_events)'";

    private final Connection kept;
    private final LocalTransactions transactions;

    /**
     * Events, deliveries and attempts count as empty from now on, until they are analyzed.
     *
     * @param pages what they seem to have all the same, as after a vacuum that could not give them back; 0 as after one that could
     */
    public KeptSession(TestDatabase database, int pages) {
        database.execute("vacuum analyze");
        try (Connection superuser = database.superuser();
                var statement = superuser.createStatement()) {
            statement.execute("update pg_class set relpages = " + pages + ", reltuples = 0"
                    + " where relnamespace = 'ringfence'::regnamespace and relkind = 'r' and relname ~ " + HOT);
            PGSimpleDataSource source = (PGSimpleDataSource) database.dataSource();
            source.setPrepareThreshold(1);
            kept = source.getConnection();
            try (var settings = kept.createStatement()) {
                settings.execute("set enable_seqscan = off; set jit = off; set plan_cache_mode = force_generic_plan");
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        transactions =
                new LocalTransactions(BorrowedConnection.dataSource(() -> BorrowedConnection.of(kept, () -> {})));
    }

    /** What work gave, and how many rows of events, deliveries and attempts it read. */
    public record Counted<T>(T result, long read) {}

    /** Does the work in a transaction of this session. */
    public <T> Counted<T> count(Callable<T> work) {
        return transactions.inNew(() -> {
            long before = read();
            T result = work.call();
            return new Counted<>(result, read() - before);
        });
    }

    private long read() throws SQLException {
        try (var statement = kept.createStatement();
                var rows = statement.executeQuery(
                        "select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0) from pg_stat_xact_user_tables where relname ~ "
                                + HOT)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    @Override
    public DataSource jta() {
        return transactions.jta();
    }

    @Override
    public DataSource pinned() {
        return transactions.pinned();
    }

    @Override
    public void close() {
        try {
            kept.close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
