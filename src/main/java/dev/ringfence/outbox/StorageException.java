package dev.ringfence.outbox;

import java.sql.SQLException;

/** A statement failed; the caller's transaction is lost. The message names the step, never a value. */
public class StorageException extends RuntimeException {
    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final String QUERY_CANCELED = "57014";
    private static final String DEADLOCK_DETECTED = "40P01";

    private final String sqlState;

    /** A failure of {@code step}. */
    public StorageException(String step, SQLException cause) {
        super(step, cause);
        this.sqlState = String.valueOf(cause.getSQLState());
    }

    /** Whether a bounded wait for somebody else's lock ran out, so that the same request may succeed later. */
    public boolean waitedTooLong() {
        return sqlState.equals(LOCK_NOT_AVAILABLE)
                || sqlState.equals(QUERY_CANCELED)
                || sqlState.equals(DEADLOCK_DETECTED);
    }
}
