package dev.ringfence.fence;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * Lends the connections that fences live on. Fewer are lent than the pool has, so that there is always one left to end a backend
 * whose unlock is in doubt, and to measure the clocks.
 */
final class PinnedConnections {

    private static final Logger LOG = System.getLogger(PinnedConnections.class.getName());

    private static final String TERMINATE = """
            select coalesce(bool_and(pg_terminate_backend(pid, 2000)), true)
              from (select distinct pid from pg_locks
                     where locktype = 'advisory' and pid = ? and objsubid = 1
                       and (classid::bigint << 32 | objid::bigint) = any (?)) holder
            """;

    private final Supplier<DataSource> pool;
    private final Semaphore lendable;

    PinnedConnections(Supplier<DataSource> pool, int lendable) {
        this.pool = pool;
        this.lendable = new Semaphore(lendable, true);
    }

    /** Waits at most {@code wait} for its turn, and then as long as the pool itself is bounded; empty when there is none. */
    Optional<Connection> borrow(Duration wait) {
        if (!takeTurn(wait)) {
            return Optional.empty();
        }
        try {
            return Optional.of(pool.get().getConnection());
        } catch (SQLException exhausted) {
            lendable.release();
            LOG.log(Level.WARNING, "No connection for a fence: {0}", exhausted.getMessage());
            return Optional.empty();
        }
    }

    private boolean takeTurn(Duration wait) {
        try {
            return lendable.tryAcquire(wait.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    void giveBack(Connection connection) {
        try {
            connection.close();
        } catch (SQLException alreadyBroken) {
            LOG.log(Level.DEBUG, "Closing a fence connection failed", alreadyBroken);
        } finally {
            lendable.release();
        }
    }

    /** Closes the socket under a connection that may not be lent again. */
    static void abort(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException | RuntimeException alreadyBroken) {
            LOG.log(Level.DEBUG, "Aborting a fence connection failed", alreadyBroken);
        }
    }

    /**
     * Ends the backend from another connection, if it still holds one of the keys (another process may have its number by now).
     *
     * @return whether it is certain that the backend holds none of them any more
     */
    boolean terminate(int backend, Collection<FenceKey> keys) {
        try (Connection other = pool.get().getConnection();
                var statement = other.prepareStatement(TERMINATE)) {
            statement.setInt(1, backend);
            statement.setArray(2, Keys.array(other, keys));
            statement.setQueryTimeout(5);
            try (var result = statement.executeQuery()) {
                return result.next() && result.getBoolean(1);
            }
        } catch (SQLException noOtherConnection) {
            LOG.log(
                    Level.ERROR,
                    "Backend " + backend + " may still hold a fence and could not be ended",
                    noOtherConnection);
            return false;
        }
    }
}
