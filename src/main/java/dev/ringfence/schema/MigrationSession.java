package dev.ringfence.schema;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * A session on which a change set may take as long as it needs, given back to its pool as it was. Waits for locks stay
 * bounded, because everybody else queues behind a change of a table's shape.
 */
final class MigrationSession implements AutoCloseable {
    private static final Duration LOCK_WAIT = Duration.ofSeconds(30);

    private final Connection connection;
    private final int networkTimeout;

    private MigrationSession(Connection connection, int networkTimeout) {
        this.connection = connection;
        this.networkTimeout = networkTimeout;
    }

    static MigrationSession open(DataSource sessions) throws SQLException {
        Connection connection = sessions.getConnection();
        MigrationSession session = new MigrationSession(connection, connection.getNetworkTimeout());
        try (var statement = connection.createStatement()) {
            connection.setNetworkTimeout(Runnable::run, 0);
            statement.execute("set statement_timeout = 0");
            statement.execute("set lock_timeout = " + LOCK_WAIT.toMillis());
            return session;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    Connection connection() {
        return connection;
    }

    @Override
    public void close() throws SQLException {
        try (connection) {
            if (connection.isClosed()) {
                return;
            }
            if (!connection.getAutoCommit()) {
                connection.rollback();
                connection.setAutoCommit(true);
            }
            try (var statement = connection.createStatement()) {
                // Liquibase sets search_path; RESET goes back to what the pool's URL asked for.
                statement.execute("reset search_path");
                statement.execute("reset statement_timeout");
                statement.execute("reset lock_timeout");
            }
            connection.setNetworkTimeout(Runnable::run, networkTimeout);
        }
    }
}
