package dev.ringfence.transport;

import org.apache.hc.core5.pool.PoolEntry;
import org.apache.hc.core5.reactor.IOSession;

/** A place in the pool, with a connection that one exchange has for itself, or that is still to be made. */
record OwnConnection(Connections connections, PoolEntry<Route, IOSession> entry) implements Seat {
    @Override
    public void release(boolean reusable) {
        connections.release(entry, reusable);
    }

    @Override
    public boolean hasLeft() {
        return true;
    }
}
