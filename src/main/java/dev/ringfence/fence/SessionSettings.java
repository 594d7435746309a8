package dev.ringfence.fence;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** The bounds that a connection carries while it holds fences (FN-3), and the check that it leaves none behind (FN-5). */
record SessionSettings(int backend, int usualSocketMillis) {

    private static final Logger LOG = System.getLogger(SessionSettings.class.getName());

    private static final Duration STATEMENT = Duration.ofSeconds(5);
    private static final int SOCKET_MILLIS = 8_000;
    /** What a paused process may overstay before the server ends its session and so its fences. */
    private static final Duration GRACE = Duration.ofSeconds(10);

    private static final String APPLY = """
            select pg_backend_pid(), set_config('lock_timeout', '200', false), set_config('statement_timeout', ?, false),
                   set_config('idle_session_timeout', ?, false)
            """;
    private static final String RESET = """
            reset lock_timeout; reset statement_timeout; reset idle_session_timeout;
            select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()
            """;

    static SessionSettings apply(Connection connection, Duration hold) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.setAutoCommit(true);
        }
        int usualSocketMillis = connection.getNetworkTimeout();
        connection.setNetworkTimeout(Runnable::run, SOCKET_MILLIS);
        try (var statement = connection.prepareStatement(APPLY)) {
            statement.setString(1, Long.toString(STATEMENT.toMillis()));
            statement.setString(2, Long.toString(hold.plus(GRACE).toMillis()));
            try (var result = statement.executeQuery()) {
                result.next();
                return new SessionSettings(result.getInt(1), usualSocketMillis);
            }
        }
    }

    static boolean answers(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                var result = statement.executeQuery("select 1")) {
            return result.next();
        }
    }

    /** @return whether the session holds no advisory lock any more */
    boolean reset(Connection connection) throws SQLException {
        boolean clean = resetAtServer(connection);
        connection.setNetworkTimeout(Runnable::run, usualSocketMillis);
        return clean;
    }

    private static boolean resetAtServer(Connection connection) throws SQLException {
        try (var statement = connection.createStatement()) {
            boolean rows = statement.execute(RESET);
            while (!rows) {
                rows = statement.getMoreResults();
            }
            try (var result = statement.getResultSet()) {
                result.next();
                int left = result.getInt(1);
                if (left > 0) {
                    LOG.log(Level.ERROR, "{0} advisory locks were left on a fence connection", left);
                }
                return left == 0;
            }
        }
    }
}
