package dev.ringfence.schema;

import dev.ringfence.harness.BorrowedConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import javax.sql.DataSource;

/** Two real connections that survive their close(), as in a pool: what a borrower left behind stays visible. */
final class LentConnections implements AutoCloseable {
    private final Connection first;
    private final Connection second;
    private final Deque<Connection> free = new ArrayDeque<>();

    LentConnections(DataSource source) throws SQLException {
        first = source.getConnection();
        second = source.getConnection();
        free.add(first);
        free.add(second);
    }

    DataSource dataSource() {
        return BorrowedConnection.dataSource(() -> {
            Connection real = free.remove();
            return BorrowedConnection.of(real, () -> free.add(real));
        });
    }

    /** Commit mode, timeouts and every setting of both sessions, and that both came back. */
    String state() throws SQLException {
        return state(first) + state(second) + free.size();
    }

    private static String state(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(
                        "select string_agg(name || '=' || setting, ',' order by name) from pg_settings"
                                + " where source = 'session' or name in ('search_path', 'statement_timeout', 'lock_timeout')")) {
            rows.next();
            return connection.getAutoCommit() + " " + connection.getNetworkTimeout() + " " + rows.getString(1) + "; ";
        }
    }

    @Override
    public void close() throws SQLException {
        first.close();
        second.close();
    }
}
