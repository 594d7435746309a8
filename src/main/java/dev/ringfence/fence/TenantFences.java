package dev.ringfence.fence;

import dev.ringfence.config.DataSources;
import dev.ringfence.config.Settings;
import dev.ringfence.time.NanoClock;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Takes tenants' fences for work that spans several transactions: session-level advisory locks on connections outside JTA (FN-1).
 * Shared holders try once and skip what is taken; exclusive waiters queue for a moment, let go, and queue again (FN-2).
 */
@ApplicationScoped
public class TenantFences {

    /**
     * Fences that one connection takes at most (FN-9). PostgreSQL's lock table has room for 64 × 100 locks by default; this many
     * on each of 16 workers leave a third of it free.
     */
    public static final int MOST_KEYS = 256;

    private static final Logger LOG = System.getLogger(TenantFences.class.getName());

    /** Connections for stragglers and three exclusive holders, besides one for each delivery worker; the pool has two more. */
    private static final int BESIDES_WORKERS = Settings.STRAGGLERS + 3;

    private static final Duration SHARED_TURN = Duration.ofMillis(500);
    private static final Duration QUEUED = Duration.ofMillis(200);

    private PinnedConnections pinned;
    private NanoClock clock;
    private HeldFences holders;

    /** For the container's proxy. */
    @SuppressWarnings("NullAway.Init")
    protected TenantFences() {}

    @Inject
    public TenantFences(DataSources dataSources, Settings settings, NanoClock clock, HeldFences holders) {
        this(new PinnedConnections(dataSources::pinned, settings.deliveryWorkers() + BESIDES_WORKERS), clock, holders);
    }

    TenantFences(PinnedConnections pinned, NanoClock clock, HeldFences holders) {
        this.pinned = pinned;
        this.clock = clock;
        this.holders = holders;
    }

    /**
     * Tries the shared fence of each key once, all on one connection and in one round trip, without waiting for a holder. Keys
     * that are taken, and keys past {@link #MOST_KEYS}, are left out; with no connection free, all are.
     *
     * @param hold how long the caller means to hold them; the server ends a session that overstays it by far
     */
    public SharedFence trySharedAll(Collection<FenceKey> keys, Duration hold) {
        List<FenceKey> wanted =
                keys.stream().distinct().sorted().limit(MOST_KEYS).toList();
        return new SharedFence(open(Mode.SHARED, wanted.isEmpty() ? Duration.ZERO : SHARED_TURN, hold)
                .flatMap(fence -> granted(fence, wanted))
                .orElse(null));
    }

    private static Optional<OpenFence> granted(OpenFence fence, List<FenceKey> wanted) {
        boolean useful = false;
        try {
            fence.session().tryShared(wanted);
            useful = !fence.session().held().isEmpty();
        } catch (FenceLost lost) {
            LOG.log(Level.WARNING, "Shared fences were not granted: {0}", lost.getMessage());
        } finally {
            if (!useful) {
                fence.close();
            }
        }
        return useful ? Optional.of(fence) : Optional.empty();
    }

    /**
     * Waits for the exclusive fence of one tenant, at most {@code wait} for connection and lock together (a lock wait under way
     * may add its rounding, no more); empty when it was not granted in time.
     *
     * @param hold how long the caller means to hold it; the server ends a session that overstays it by far
     */
    public Optional<ExclusiveFence> exclusive(FenceKey key, Duration wait, Duration hold) {
        long until = clock.nanos() + wait.toNanos();
        return open(Mode.EXCLUSIVE, wait, hold.plus(wait)).flatMap(fence -> queued(fence, key, until));
    }

    private Optional<ExclusiveFence> queued(OpenFence fence, FenceKey key, long until) {
        boolean granted = false;
        try {
            granted = queue(fence.session(), key, until);
        } catch (FenceLost lost) {
            LOG.log(Level.WARNING, "An exclusive fence was not granted: {0}", lost.getMessage());
        } finally {
            if (!granted) {
                fence.close();
            }
        }
        return granted ? Optional.of(new ExclusiveFence(fence)) : Optional.empty();
    }

    private boolean queue(FenceSession session, FenceKey key, long until) {
        for (Duration left = left(until); !left.isZero(); left = left(until)) {
            if (session.lockExclusive(key, left.compareTo(QUEUED) < 0 ? left : QUEUED)) {
                return true;
            }
            backOff();
        }
        return false;
    }

    private Duration left(long until) {
        return Duration.ofNanos(Math.max(0, until - clock.nanos()));
    }

    /** Lets the shared requests through that queued up behind the exclusive one. */
    private static void backOff() {
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(10_000_000, 40_000_000));
    }

    private Optional<OpenFence> open(Mode mode, Duration wait, Duration hold) {
        return pinned.borrow(wait).flatMap(connection -> {
            try {
                FenceSession session = new FenceSession(pinned, connection, mode, clock, hold);
                holders.opened(session);
                return Optional.of(new OpenFence(session, holders));
            } catch (SQLException | RuntimeException broken) {
                LOG.log(Level.WARNING, "A fence connection does not answer: {0}", broken.getMessage());
                PinnedConnections.abort(connection);
                pinned.giveBack(connection);
                return Optional.empty();
            }
        });
    }

    /** Ends what is still held when the application goes (FN-5). */
    @PreDestroy
    void closeAll() {
        holders.closeAll();
    }
}
