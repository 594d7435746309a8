package dev.ringfence.health;

import dev.ringfence.config.DataSources;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Reads how PostgreSQL keeps what it has promised to keep. */
@ApplicationScoped
public class DurabilityRepository {
    private static final int SECONDS = 3;

    private final DataSources dataSources;

    @Inject
    public DurabilityRepository(DataSources dataSources) {
        this.dataSources = dataSources;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    DurabilityRepository() {
        this(null);
    }

    /** Asks on a connection outside JTA, and on one of JTA's pool for the isolation it has, each within three seconds. */
    Durability read() {
        return read(dataSources.pinned(), dataSources.jta());
    }

    static Durability read(DataSource sessions, DataSource transactions) {
        try (Connection connection = sessions.getConnection();
                Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(SECONDS);
            try (var row =
                    statement.executeQuery("select current_setting('fsync'), current_setting('full_page_writes'),"
                            + " pg_is_in_recovery() or current_setting('transaction_read_only') = 'on'")) {
                row.next();
                return new Durability.Known(
                        "on".equals(row.getString(1)),
                        "on".equals(row.getString(2)),
                        !row.getBoolean(3),
                        readCommitted(transactions));
            }
        } catch (SQLException e) {
            return new Durability.Unreachable(e.getSQLState() == null ? "unknown" : e.getSQLState());
        }
    }

    private static boolean readCommitted(DataSource transactions) throws SQLException {
        try (Connection connection = transactions.getConnection();
                Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(SECONDS);
            try (var row = statement.executeQuery("select current_setting('transaction_isolation')")) {
                row.next();
                return "read committed".equals(row.getString(1));
            }
        }
    }
}
