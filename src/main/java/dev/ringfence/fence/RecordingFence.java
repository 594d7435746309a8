package dev.ringfence.fence;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * The shared fence of work that is one transaction: a transaction-level lock of the tenant's key in that transaction (FN-1). It
 * ends with the transaction, whatever ends it.
 */
public final class RecordingFence {

    private static final String NOT_AVAILABLE = "55P03";

    private static final String LOCK = """
            with bound as materialized (select set_config('lock_timeout', ?, true) as millis)
            select pg_advisory_xact_lock_shared(?) from bound where millis is not null
            """;

    private RecordingFence() {}

    /**
     * Waits for the shared fence, at most {@code wait}, which stays the bound of every later lock wait of the transaction (FN-3).
     * Read the tenant's row in a statement after this one (FN-4).
     *
     * @param transaction a connection inside a transaction
     * @return false when it was not granted in time: the transaction has failed and can only be rolled back
     */
    public static boolean lockShared(Connection transaction, FenceKey key, Duration wait) throws SQLException {
        try (var statement = transaction.prepareStatement(LOCK)) {
            statement.setString(1, Long.toString(Math.max(1, wait.toMillis())));
            statement.setLong(2, key.value());
            statement.executeQuery().close();
            return true;
        } catch (SQLException refused) {
            if (NOT_AVAILABLE.equals(refused.getSQLState())) {
                return false;
            }
            throw refused;
        }
    }
}
