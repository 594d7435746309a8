package dev.ringfence.api;

import dev.ringfence.transaction.CommitFailed;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A failure that says nothing about the request: no connection to be had, no resources, a bounded wait that ran out, a deadlock, a connection
 * that broke during the commit. The same request may succeed later; with its {@code Idempotency-Key} it is never done twice.
 *
 * @param state the SQLSTATE, {@code null} as text where there is none, as from an exhausted pool
 */
record DatabaseOutage(String state) {

    private static final System.Logger LOG = System.getLogger(DatabaseOutage.class.getName());

    private static final int MAX_CAUSES = 20;

    /** A transaction manager that hides what its commit met. */
    private static final String UNKNOWN_COMMIT = "unknown, at commit";

    /** An operator keeps writers out for a while. */
    private static final String READ_ONLY = "25006";

    /** The outage that the failure wraps, which is logged; empty where something else failed. */
    static Optional<DatabaseOutage> behind(Throwable failure) {
        Optional<Throwable> refused = first(failure, SQLException.class).or(() -> first(failure, CommitFailed.class));
        Optional<DatabaseOutage> outage =
                refused.map(DatabaseOutage::state).map(DatabaseOutage::new).filter(DatabaseOutage::passes);
        outage.ifPresent(found -> LOG.log(
                System.Logger.Level.WARNING,
                String.format(
                        Locale.ROOT,
                        "Answered 503: %s, SQLSTATE %s",
                        refused.get().getMessage(),
                        found.state)));
        return outage;
    }

    private static Optional<Throwable> first(Throwable failure, Class<? extends Throwable> kind) {
        return Stream.iterate(failure, cause -> cause != null, Throwable::getCause)
                .limit(MAX_CAUSES)
                .filter(kind::isInstance)
                .findFirst();
    }

    private static String state(Throwable refused) {
        return refused instanceof SQLException e ? String.valueOf(e.getSQLState()) : UNKNOWN_COMMIT;
    }

    /** What the client is told. */
    String detail() {
        return "The database is busy or cannot be reached. Try again soon.";
    }

    private boolean passes() {
        return state.equals("null")
                || state.equals(UNKNOWN_COMMIT)
                || state.startsWith("08")
                || state.startsWith("53")
                || state.startsWith("57")
                || state.startsWith("40")
                || state.equals("55P03")
                || state.equals(READ_ONLY);
    }
}
