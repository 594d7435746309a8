package dev.ringfence.fence;

import dev.ringfence.time.NanoClock;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;

/**
 * One connection from the moment it is lent until it is given back, and the keys it holds. It belongs to one fence only and
 * takes its keys once, so it can never lock a key again that it holds: PostgreSQL would grant that past every waiter (FN-2).
 *
 * <p>Whatever goes wrong on the connection puts it in doubt; a session in doubt is ended at the server instead of unlocked (FN-5).
 */
final class FenceSession {

    private static final Logger LOG = System.getLogger(FenceSession.class.getName());

    private final PinnedConnections pool;
    private final Connection connection;
    private final Mode mode;
    private final NanoClock clock;
    private final long deadline;
    private final SessionSettings settings;
    private final Set<FenceKey> held = new ConcurrentSkipListSet<>();
    private final Set<FenceKey> touched = new TreeSet<>();
    private boolean doubtful;
    private boolean closed;

    FenceSession(PinnedConnections pool, Connection connection, Mode mode, NanoClock clock, Duration hold)
            throws SQLException {
        this.pool = pool;
        this.connection = connection;
        this.mode = mode;
        this.clock = clock;
        this.deadline = clock.nanos() + hold.toNanos();
        this.settings = SessionSettings.apply(connection, hold);
    }

    /** Tries each key once, without waiting, in one round trip (FN-9). */
    synchronized void tryShared(Collection<FenceKey> keys) {
        touched.addAll(keys);
        run(c -> {
            try (var statement =
                    c.prepareStatement("select k from unnest(?::bigint[]) k where pg_try_advisory_lock_shared(k)")) {
                statement.setArray(1, Keys.array(c, keys));
                try (var granted = statement.executeQuery()) {
                    while (granted.next()) {
                        held.add(new FenceKey(granted.getLong(1)));
                    }
                }
            }
            return held;
        });
    }

    /** One bounded, queued wait for the exclusive lock; false when it was not granted in time. */
    synchronized boolean lockExclusive(FenceKey key, Duration wait) {
        touched.add(key);
        return run(c -> {
            if (ExclusiveLock.acquire(c, key, wait)) {
                held.add(key);
            }
            return held.contains(key);
        });
    }

    synchronized <T> T run(SqlFunction<Connection, T> work) {
        if (closed || doubtful) {
            throw new FenceLost("The fence is " + (closed ? "closed" : "in doubt"));
        }
        try {
            return work.apply(connection);
        } catch (SQLException broken) {
            doubtful = true;
            throw new FenceLost("The fence's session failed: " + broken.getMessage(), broken);
        } catch (RuntimeException | Error unexpected) {
            doubtful = true;
            throw unexpected;
        }
    }

    synchronized boolean alive() {
        if (closed || doubtful) {
            return false;
        }
        try {
            return run(SessionSettings::answers);
        } catch (FenceLost lost) {
            return false;
        }
    }

    Set<FenceKey> held() {
        return Set.copyOf(held);
    }

    Mode mode() {
        return mode;
    }

    Duration remaining() {
        return Duration.ofNanos(Math.max(0, deadline - clock.nanos()));
    }

    synchronized void release(Collection<FenceKey> keys) {
        Set<FenceKey> mine = new TreeSet<>(keys);
        mine.retainAll(held);
        if (!mine.isEmpty() && run(c -> unlock(c, mine))) {
            held.removeAll(mine);
        } else if (!mine.isEmpty()) {
            doubtful = true;
        }
    }

    private boolean unlock(Connection c, Set<FenceKey> keys) throws SQLException {
        try (var statement = c.prepareStatement(mode.unlock())) {
            statement.setArray(1, Keys.array(c, keys));
            try (var notLocked = statement.executeQuery()) {
                return !notLocked.next();
            }
        }
    }

    /** Unlocks and gives the connection back; where anything is in doubt, ends the backend first. Never throws. */
    synchronized void close() {
        if (closed) {
            return;
        }
        boolean clean = unlocked();
        closed = true;
        try {
            if (!clean) {
                end();
            }
        } finally {
            held.clear();
            pool.giveBack(connection);
        }
    }

    private boolean unlocked() {
        try {
            release(held());
            return !doubtful && run(settings::reset);
        } catch (RuntimeException lost) {
            LOG.log(Level.DEBUG, "Unlocking failed", lost);
            return false;
        }
    }

    private void end() {
        boolean certain = pool.terminate(settings.backend(), touched);
        LOG.log(
                certain ? Level.WARNING : Level.ERROR,
                "A fence session was in doubt: backend {0} {1}",
                Integer.toString(settings.backend()),
                certain ? "holds no fence any more" : "could not be ended; its socket is closed");
        PinnedConnections.abort(connection);
    }
}
