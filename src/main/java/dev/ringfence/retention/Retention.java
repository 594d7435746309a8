package dev.ringfence.retention;

import dev.ringfence.config.Settings;
import dev.ringfence.delivery.DeliveryCounters;
import dev.ringfence.time.NanoClock;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.Function;

/**
 * Drops the weeks that are past their retention (RT-1), a few in a run, whether this node delivers or not. Nodes do not agree on who does
 * it: the database lets one at a time, and finds nothing to do for the next.
 */
@ApplicationScoped
public class Retention {
    private static final Logger LOG = System.getLogger(Retention.class.getName());

    /** Bounds of one run; what is left is done by the next, which follows soon. */
    private static final int MOST_WEEKS = 12;

    private static final Duration LONGEST_RUN = Duration.ofSeconds(20);

    static final Duration PAUSE = Duration.ofHours(1);
    static final Duration SHORT_PAUSE = Duration.ofSeconds(15);

    private final RetentionRepository weeks;
    private final DeliveryCounters counters;
    private final Settings settings;
    private final NanoClock nanos;
    private Duration busyPause = SHORT_PAUSE;
    private long due;

    @Inject
    public Retention(RetentionRepository weeks, DeliveryCounters counters, Settings settings, NanoClock nanos) {
        this.weeks = weeks;
        this.counters = counters;
        this.settings = settings;
        this.nanos = nanos;
        this.due = nanos.nanos();
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    Retention() {
        this.weeks = null;
        this.counters = null;
        this.settings = null;
        this.nanos = null;
    }

    /** Does a run where one is due: an hour after the last, or sooner where that one was not through. */
    public synchronized void look() {
        if (nanos.nanos() - due < 0) {
            return;
        }
        due = nanos.nanos() + PAUSE.toNanos();
        due = nanos.nanos() + pauseAfter(run()).toNanos();
    }

    /** How a run ended. */
    enum End {
        THROUGH,
        /** At its bound. */
        MORE,
        BUSY
    }

    /** Somebody who holds a week for hours (a dump) is not to stop everybody for a moment again and again: that pause grows. */
    private Duration pauseAfter(End end) {
        if (end == End.BUSY) {
            Duration pause = busyPause;
            Duration twice = pause.multipliedBy(2);
            busyPause = twice.compareTo(PAUSE) < 0 ? twice : PAUSE;
            return pause;
        }
        busyPause = SHORT_PAUSE;
        return end == End.MORE ? SHORT_PAUSE : PAUSE;
    }

    /** Deliveries first, as they need their events. */
    private End run() {
        long until = nanos.nanos() + LONGEST_RUN.toNanos();
        End end = drop("deliveries and attempts", weeks::dropDeliveries, settings.retentionFinished(), until);
        return end == End.THROUGH ? drop("events", weeks::dropEvents, settings.retentionEvents(), until) : end;
    }

    private End drop(String what, Function<Duration, WeekDrop> oldest, Duration kept, long until) {
        for (int dropped = 0; dropped < MOST_WEEKS && until - nanos.nanos() > 0; dropped++) {
            WeekDrop came = oldest.apply(kept);
            if (came instanceof WeekDrop.Dropped week) {
                counters.add("retention.DROPPED", 1);
                LOG.log(Level.INFO, "retention: {0} of week {1} dropped", what, week.week());
            } else if (came instanceof WeekDrop.Nothing nothing) {
                if (!nothing.kept().isEmpty()) {
                    LOG.log(Level.INFO, "retention: {0} of these weeks are old and needed: {1}", what, nothing.kept());
                }
                return End.THROUGH;
            } else {
                counters.add("retention.BUSY", 1);
                LOG.log(Level.INFO, "retention: {0}: an old week is in use, later again", what);
                return End.BUSY;
            }
        }
        return End.MORE;
    }
}
