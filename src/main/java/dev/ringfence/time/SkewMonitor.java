package dev.ringfence.time;

import dev.ringfence.config.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Measures the distance of this machine's clock from the database's, continuously (LC-6): a timer calls {@link #measure()} every
 * two seconds. While nothing recent is known, enrolment and recording fail closed.
 */
@ApplicationScoped
public class SkewMonitor {

    private static final Logger LOG = System.getLogger(SkewMonitor.class.getName());

    private static final int TURN_SECONDS = 2;

    private final Lock measuring = new ReentrantLock();
    private DatabaseClockRepository database;
    private NanoClock nanoClock;
    private SkewWindow window;

    /** For the container's proxy. */
    @SuppressWarnings("NullAway.Init")
    protected SkewMonitor() {}

    @Inject
    public SkewMonitor(DatabaseClockRepository database, NanoClock nanoClock, Settings settings) {
        this(database, nanoClock, settings.maxSkew());
    }

    SkewMonitor(DatabaseClockRepository database, NanoClock nanoClock, Duration permitted) {
        this.database = database;
        this.nanoClock = nanoClock;
        this.window = new SkewWindow(permitted);
    }

    /** What is known now. Where that is nothing, or too old, the caller's thread measures, at most two seconds. */
    public Skew current() {
        Skew known = known();
        return old(known) ? refreshed(known) : known;
    }

    /** Database clock minus this machine's, by the last measurements however old; zero while there are none. Never waits. */
    public Duration offset() {
        return known().offset();
    }

    private Skew refreshed(Skew old) {
        if (!takeTurn()) {
            return old;
        }
        try {
            Skew byAnother = known();
            return old(byAnother) ? read() : byAnother;
        } finally {
            measuring.unlock();
        }
    }

    /** Takes one measurement; a database that does not answer in two seconds adds none. */
    public Skew measure() {
        if (!takeTurn()) {
            return known();
        }
        try {
            return read();
        } finally {
            measuring.unlock();
        }
    }

    private Skew read() {
        try {
            window.add(database.read());
        } catch (SQLException unreachable) {
            LOG.log(Level.WARNING, "The database's clock cannot be read: {0}", unreachable.getMessage());
        }
        Skew skew = known();
        if (skew.status() == Skew.Status.EXCEEDED) {
            LOG.log(Level.WARNING, "This machine's clock may be {0} off the database's: too much", skew.bound());
        }
        return skew;
    }

    private boolean takeTurn() {
        try {
            return measuring.tryLock(TURN_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private Skew known() {
        return window.at(nanoClock.nanos());
    }

    private static boolean old(Skew skew) {
        return skew.status() == Skew.Status.UNMEASURED || skew.status() == Skew.Status.STALE;
    }
}
