package dev.ringfence.time;

import dev.ringfence.config.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;

/**
 * Measures the distance of this machine's clock from the database's, continuously (LC-6). A timer calls {@link #measure()} every
 * two seconds; without it the measurements go stale and enrolment and recording fail closed.
 */
@ApplicationScoped
public class SkewMonitor {

    private static final Logger LOG = System.getLogger(SkewMonitor.class.getName());

    private DatabaseClockRepository database;
    private NanoClock nanoClock;
    private SkewWindow window;

    /** For the container's proxy. */
    @SuppressWarnings("NullAway.Init")
    protected SkewMonitor() {}

    @Inject
    public SkewMonitor(DatabaseClockRepository database, NanoClock nanoClock, Settings settings) {
        this.database = database;
        this.nanoClock = nanoClock;
        this.window = new SkewWindow(settings.maxSkew());
    }

    /** What is known now; the first call measures, so that a node can serve as soon as it started. */
    public Skew current() {
        Skew known = window.at(nanoClock.nanos());
        if (known.status() != Skew.Status.UNMEASURED) {
            return known;
        }
        return measure();
    }

    /** Takes one measurement; a database that does not answer in two seconds adds none. */
    public synchronized Skew measure() {
        try {
            window.add(database.read());
        } catch (SQLException unreachable) {
            LOG.log(Level.WARNING, "The database's clock cannot be read: {0}", unreachable.getMessage());
        }
        Skew skew = window.at(nanoClock.nanos());
        if (skew.status() == Skew.Status.EXCEEDED) {
            LOG.log(
                    Level.WARNING,
                    "This machine's clock may be {0} from the database's, more than permitted",
                    skew.bound());
        }
        return skew;
    }
}
