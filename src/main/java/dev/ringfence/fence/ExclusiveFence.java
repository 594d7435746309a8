package dev.ringfence.fence;

import java.sql.Connection;
import java.time.Duration;

/** One tenant's fence, held alone (FN-2). Close it in {@code finally}: closing never throws and leaves no lock behind (FN-5). */
public final class ExclusiveFence implements AutoCloseable {

    private final OpenFence open;

    ExclusiveFence(OpenFence open) {
        this.open = open;
    }

    /** Time left of the hold that was asked for. */
    public Duration remaining() {
        return open.session().remaining();
    }

    /**
     * Runs a statement on the fence's own connection (autocommit, READ COMMITTED): its success also proves that the session, and
     * so the fence, was alive (FN-4).
     *
     * @throws FenceLost when the session is gone or the statement failed; the fence is then in doubt and good for nothing
     */
    public <T> T onConnection(SqlFunction<Connection, T> work) {
        return open.session().run(work);
    }

    /** Asks the session; false when it does not answer, for good. */
    public boolean alive() {
        return open.session().alive();
    }

    @Override
    public void close() {
        open.close();
    }
}
