package dev.ringfence.fanout;

import java.sql.SQLException;
import java.util.Set;

/** What a failed transaction's SQLSTATE says about trying it again. */
enum SqlState {
    /** Deadlock or serialization failure: the same transaction, as a whole, may succeed at once (D20). */
    CONFLICT,
    /** No connection, no resources, a server going down: nothing is wrong with the work. */
    OUT_OF_REACH,
    /** Anything else: something in the work itself may be the cause. */
    OTHER;

    private static final Set<String> CONFLICTS = Set.of("40P01", "40001");

    private static final String NO_SQL = "none";

    static SqlState of(Throwable failure) {
        String code = codeOf(failure);
        if (CONFLICTS.contains(code)) {
            return CONFLICT;
        }
        boolean unreachable =
                code.equals("null") || code.startsWith("08") || code.startsWith("53") || code.startsWith("57P");
        return unreachable ? OUT_OF_REACH : OTHER;
    }

    /** The five characters; {@code null} as text where the driver gave none, {@code none} where no SQL failed. */
    static String codeOf(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql) {
                return String.valueOf(sql.getSQLState());
            }
        }
        return NO_SQL;
    }
}
