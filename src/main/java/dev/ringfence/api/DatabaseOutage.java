package dev.ringfence.api;

import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A failure that says nothing about the request: no connection to be had, no resources, a bounded wait that ran out, a deadlock. The same
 * request may succeed later.
 *
 * @param state the SQLSTATE, {@code null} as text where there is none, as from an exhausted pool
 */
record DatabaseOutage(String state) {

    private static final System.Logger LOG = System.getLogger(DatabaseOutage.class.getName());

    private static final int MAX_CAUSES = 20;

    /** An operator keeps writers out for a while. */
    private static final String READ_ONLY = "25006";

    /** The outage that the failure wraps, which is logged; empty where something else failed. */
    static Optional<DatabaseOutage> behind(Throwable failure) {
        Optional<SQLException> refused = Stream.iterate(failure, cause -> cause != null, Throwable::getCause)
                .limit(MAX_CAUSES)
                .filter(SQLException.class::isInstance)
                .map(SQLException.class::cast)
                .findFirst();
        Optional<DatabaseOutage> outage = refused.map(e -> new DatabaseOutage(String.valueOf(e.getSQLState())))
                .filter(DatabaseOutage::passes);
        outage.ifPresent(found -> LOG.log(
                System.Logger.Level.WARNING,
                String.format(
                        Locale.ROOT,
                        "Answered 503: %s, SQLSTATE %s",
                        refused.get().getMessage(),
                        found.state)));
        return outage;
    }

    /** What the client is told. */
    String detail() {
        return "The database is busy or cannot be reached. Try again soon.";
    }

    private boolean passes() {
        return state.equals("null")
                || state.startsWith("08")
                || state.startsWith("53")
                || state.startsWith("57")
                || state.startsWith("40")
                || state.equals("55P03")
                || state.equals(READ_ONLY);
    }
}
