package dev.ringfence.delivery;

import java.sql.SQLException;
import java.util.Set;

/** A statement on deliveries failed and its transaction is lost. The message names the step, never a value. */
public class DeliveryStorageException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final Set<String> LOST_TO_ANOTHER = Set.of("40001", "40P01", "55P03");

    private final String sqlState;

    /** A pool has none for what it says itself. */
    private final boolean noState;

    public DeliveryStorageException(String step, SQLException cause) {
        super("cannot " + step + " (SQLSTATE " + cause.getSQLState() + ")", cause);
        this.sqlState = String.valueOf(cause.getSQLState());
        this.noState = cause.getSQLState() == null;
    }

    /**
     * True where only the order of concurrent transactions was to blame, or the connection: the same work as a whole may be tried again,
     * on another connection (D20).
     */
    public boolean worthRepeating() {
        return lostToAnother() || connectionLost();
    }

    /** True where only the order of concurrent transactions was to blame. */
    public boolean lostToAnother() {
        return LOST_TO_ANOTHER.contains(sqlState);
    }

    /** True where the database did not answer, or no connection to it was to be had: nothing else will succeed there now. */
    public boolean outOfReach() {
        return noState || connectionLost();
    }

    private boolean connectionLost() {
        return sqlState.startsWith("08") || sqlState.startsWith("57P");
    }
}
