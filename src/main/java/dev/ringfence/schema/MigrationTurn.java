package dev.ringfence.schema;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * The right of one node to migrate. Liquibase's own lock cannot order the nodes of a first start, since its table does not
 * exist yet, and stays behind when a process is killed. This one is a transaction-level advisory lock on a session of its
 * own: it ends with the session, whatever happens.
 */
final class MigrationTurn implements AutoCloseable {
    /** "RING", 2: the key space of two integers, apart from the fences' space of one bigint. */
    private static final String TAKE = "select pg_advisory_xact_lock(1380535879, 2)";

    private final Connection connection;
    private final boolean autoCommit;

    private MigrationTurn(Connection connection, boolean autoCommit) {
        this.connection = connection;
        this.autoCommit = autoCommit;
    }

    /** Waits at most {@code wait}; then the database's own error (55P03) says that the lock was not available. */
    static MigrationTurn take(DataSource sessions, Duration wait) throws SQLException {
        Connection connection = sessions.getConnection();
        MigrationTurn turn;
        try {
            turn = new MigrationTurn(connection, connection.getAutoCommit());
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
        try (var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("set local lock_timeout = " + wait.toMillis());
            statement.execute(TAKE);
            return turn;
        } catch (SQLException e) {
            turn.close();
            throw e;
        }
    }

    @Override
    public void close() throws SQLException {
        try (connection) {
            connection.rollback();
            connection.setAutoCommit(autoCommit);
        }
    }
}
