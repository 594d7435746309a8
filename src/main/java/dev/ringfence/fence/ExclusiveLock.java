package dev.ringfence.fence;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;

/** The blocking acquire of an exclusive waiter: it queues, so later shared requests do not overtake it, and gives up soon. */
final class ExclusiveLock {

    private static final Set<String> NOT_GRANTED = Set.of("55P03", "40P01");

    private static final String LOCK = """
            with bound as materialized (select set_config('lock_timeout', ?, false) as millis)
            select pg_advisory_lock(?) from bound where millis is not null
            """;

    private ExclusiveLock() {}

    static boolean acquire(Connection connection, FenceKey key, Duration wait) throws SQLException {
        try (var statement = connection.prepareStatement(LOCK)) {
            statement.setString(1, Long.toString(Math.max(1, wait.toMillis())));
            statement.setLong(2, key.value());
            statement.executeQuery().close();
            return true;
        } catch (SQLException refused) {
            if (NOT_GRANTED.contains(refused.getSQLState())) {
                return false;
            }
            throw refused;
        }
    }
}
