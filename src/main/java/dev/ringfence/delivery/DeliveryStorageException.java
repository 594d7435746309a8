package dev.ringfence.delivery;

import java.sql.SQLException;
import java.util.Set;

/** A statement on deliveries failed and its transaction is lost. The message names the step, never a value. */
public class DeliveryStorageException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final Set<String> LOST_TO_ANOTHER = Set.of("40001", "40P01", "55P03");

    private final String sqlState;

    public DeliveryStorageException(String step, SQLException cause) {
        super("cannot " + step + " (SQLSTATE " + cause.getSQLState() + ")", cause);
        this.sqlState = String.valueOf(cause.getSQLState());
    }

    /**
     * True where only the order of concurrent transactions was to blame, or the connection: the same work as a whole may be tried again,
     * on another connection (D20).
     */
    public boolean worthRepeating() {
        return LOST_TO_ANOTHER.contains(sqlState) || sqlState.startsWith("08") || sqlState.startsWith("57P");
    }
}
