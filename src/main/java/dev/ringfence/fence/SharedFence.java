package dev.ringfence.fence;

import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The fences of many tenants in shared mode on one connection (FN-9), held over reservation, HTTP and receipt (FN-7). Close it in
 * {@code finally}: closing never throws and leaves no lock behind (FN-5). Safe for use by several threads, one at a time.
 */
public final class SharedFence implements AutoCloseable {

    private final @Nullable OpenFence open;

    SharedFence(@Nullable OpenFence open) {
        this.open = open;
    }

    /** The keys that are held now. A key that was asked for and is not here was taken by an exclusive holder or waiter. */
    public Set<FenceKey> granted() {
        return open == null ? Set.of() : open.session().held();
    }

    /** Time left of the hold that was asked for; zero when it is over or nothing was granted. */
    public Duration remaining() {
        return open == null ? Duration.ZERO : open.session().remaining();
    }

    /**
     * Runs a statement on the fence's own connection (autocommit, READ COMMITTED): its success also proves that the session, and
     * so the fence, was alive (FN-4).
     *
     * @throws FenceLost when the session is gone or the statement failed; the fence is then in doubt and good for nothing
     */
    public <T> T onConnection(SqlFunction<Connection, T> work) {
        if (open == null) {
            throw new FenceLost("No fence was granted");
        }
        return open.session().run(work);
    }

    /** Asks the session; false when it does not answer, for good. */
    public boolean alive() {
        return open != null && open.session().alive();
    }

    /**
     * Lets go of some keys early.
     *
     * @throws FenceLost when the session is gone
     */
    public void release(Collection<FenceKey> keys) {
        if (open != null) {
            open.session().release(keys);
        }
    }

    @Override
    public void close() {
        if (open != null) {
            open.close();
        }
    }
}
