package dev.ringfence.job;

import dev.ringfence.background.Background;
import dev.ringfence.config.Settings;
import dev.ringfence.fence.FenceLost;
import dev.ringfence.time.NanoClock;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Semaphore;

/**
 * Takes over flights that wait for slow endpoints, so that their worker can go on with the others (HT-5). Each keeps one fence
 * connection, for the tenants that still have something open, and no worker; how many there may be is bounded.
 */
@ApplicationScoped
public class Stragglers {
    private static final Logger LOG = System.getLogger(Stragglers.class.getName());

    /** Fence connections that may be held for stragglers, besides one for each worker. */
    static final int MOST = Settings.STRAGGLERS;

    /** Of these, for flights of endpoints that are not known to be slow: else many that take a little longer would leave the slow ones none. */
    static final int MOST_OTHERS = 3;

    private static final Duration WAIT = Duration.ofMillis(250);

    /** A request is over within 10 s, so nothing is lost by waiting no longer. */
    private static final Duration LONGEST = Duration.ofSeconds(20);

    private final Landing landing;
    private final Slots slots;
    private final NanoClock nanos;
    private final Duration longest;
    private final Background background;
    private final Semaphore permits = new Semaphore(MOST);
    private final Semaphore permitsOfOthers = new Semaphore(MOST_OTHERS);

    @Inject
    public Stragglers(Landing landing, Slots slots, NanoClock nanos, Background background) {
        this(landing, slots, nanos, LONGEST, background);
    }

    Stragglers(Landing landing, Slots slots, NanoClock nanos, Duration longest, Background background) {
        this.landing = landing;
        this.slots = slots;
        this.nanos = nanos;
        this.longest = longest;
        this.background = background;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    Stragglers() {
        this(null, null, null, null);
    }

    /** Whether the flight is one of endpoints that are known to be slow, so that no worker need wait for it at all. */
    boolean expects(Flight flight) {
        return slots.apart(flight.openIds());
    }

    /** Takes the flight over, and closes it when it has landed; false where there are too many already. */
    boolean takeOver(Flight flight) {
        boolean other = !expects(flight);
        if (other && !permitsOfOthers.tryAcquire()) {
            return false;
        }
        if (!permits.tryAcquire()) {
            giveBack(other);
            return false;
        }
        int waiting = flight.open();
        slots.takenOver(1);
        slots.straggling(waiting);
        try {
            background.run(() -> land(flight, waiting, other));
            return true;
        } catch (RuntimeException stopping) {
            ended(waiting, other);
            return false;
        }
    }

    private void land(Flight flight, int waiting, boolean other) {
        int left = waiting;
        try (flight) {
            trim(flight);
            long until = nanos.nanos() + longest.toNanos();
            while (flight.open() > 0 && until - nanos.nanos() > 0) {
                int came = landing.settleNext(flight, WAIT);
                slots.straggling(-came);
                left -= came;
                if (came > 0) {
                    trim(flight);
                }
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "delivery: stragglers are left to reconciliation: {0}", e.toString());
        } finally {
            landing.abandon(flight);
            ended(left, other);
        }
    }

    private static void trim(Flight flight) {
        if (flight.open() > 0) {
            try {
                flight.trim();
            } catch (FenceLost lost) {
                LOG.log(Level.DEBUG, "delivery: the fence of stragglers is lost; their answers will be uncertain");
            }
        }
    }

    private void ended(int waiting, boolean other) {
        slots.straggling(-waiting);
        permits.release();
        giveBack(other);
        slots.takenOver(-1);
    }

    private void giveBack(boolean other) {
        if (other) {
            permitsOfOthers.release();
        }
    }
}
