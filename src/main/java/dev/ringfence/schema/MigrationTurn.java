package dev.ringfence.schema;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * The right of one node to migrate. Liquibase's own lock cannot order the nodes of a first start, since its table does not
 * exist yet. This one is a transaction-level advisory lock on a session of its own: it ends with the session, whatever
 * happens to the process.
 */
final class MigrationTurn implements AutoCloseable {
    /** "RING", 2: the key space of two integers, apart from the fences' space of one bigint. */
    private static final String TAKE = "select pg_advisory_xact_lock(1380535879, 2)";

    private final Connection connection;

    private MigrationTurn(Connection connection) {
        this.connection = connection;
    }

    /** Waits at most {@code wait}; then the database's own error (55P03) says that the lock was not available. */
    static MigrationTurn take(DataSource sessions, Duration wait) throws SQLException {
        MigrationTurn turn = new MigrationTurn(sessions.getConnection());
        try {
            turn.lock(wait);
            return turn;
        } catch (SQLException e) {
            turn.close();
            throw e;
        }
    }

    private void lock(Duration wait) throws SQLException {
        connection.setAutoCommit(false);
        try (var statement = connection.createStatement()) {
            // This transaction waits idle while the other session migrates.
            statement.execute("set local statement_timeout = 0");
            statement.execute("set local idle_in_transaction_session_timeout = 0");
            statement.execute("set local lock_timeout = " + wait.toMillis());
            statement.execute(TAKE);
        }
    }

    @Override
    public void close() throws SQLException {
        try (connection) {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }
}
