package dev.ringfence.feed;

import dev.ringfence.config.DataSources;
import dev.ringfence.outbox.StorageException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Asks for open transactions. Of the sessions of other roles PostgreSQL tells nothing without the role {@code pg_read_all_stats}; that
 * one of them holds feeds back shows in the oldest id all the same.
 */
@ApplicationScoped
class TransactionRepository {
    private static final int SECONDS = 3;

    private static final String SAMPLE = """
            select pg_snapshot_xmin(s.now)::text as oldest, pg_snapshot_xmax(s.now)::text as next,
                   coalesce(floor(extract(epoch from clock_timestamp() - a.xact_start) * 1000), 0)::bigint as session_ms,
                   coalesce(a.pid, 0) as pid,
                   coalesce(floor(extract(epoch from clock_timestamp() - p.prepared) * 1000), 0)::bigint as prepared_ms,
                   coalesce((select max(greatest(age(r.xmin), age(r.catalog_xmin))) from pg_replication_slots r), 0)::bigint as slot
              from (select pg_current_snapshot() as now) s
              left join lateral (
                select t.xact_start, t.pid from pg_stat_activity t
                 where t.xact_start is not null and t.backend_type = 'client backend' and t.pid <> pg_backend_pid()
                 order by t.xact_start limit 1) a on true
              left join lateral (select min(t.prepared) as prepared from pg_prepared_xacts t) p on true
            """;

    private final DataSources sources;

    @Inject
    TransactionRepository(DataSources sources) {
        this.sources = sources;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    TransactionRepository() {
        this(null);
    }

    TransactionSample sample() {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(SAMPLE)) {
            statement.setQueryTimeout(SECONDS);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return new TransactionSample(
                        Long.parseLong(row.getString("oldest")),
                        Long.parseLong(row.getString("next")),
                        Duration.ofMillis(row.getLong("session_ms")),
                        row.getInt("pid"),
                        Duration.ofMillis(row.getLong("prepared_ms")),
                        row.getLong("slot"));
            }
        } catch (SQLException e) {
            throw new StorageException("cannot look at open transactions", e);
        }
    }
}
