package dev.ringfence.transport;

import dev.ringfence.time.NanoClock;
import java.util.HashSet;
import java.util.Set;

/** Who has a seat on one HTTP/2 connection, and whether it has any for others. Safe for use by several threads. */
final class Seats {
    /** Requests at once, where the receiver permits more. */
    static final int MOST = 100;

    /** Then another connection is made: nothing grows for ever. */
    private static final int MOST_REQUESTS = 10_000;

    private final NanoClock clock;
    private final Set<Http2Stream> givenUp = new HashSet<>();
    private int permitted;
    private int taken;
    private int begun;
    private boolean closed;
    private boolean leaving;
    private long idleSince;

    Seats(NanoClock clock) {
        this.clock = clock;
        idleSince = clock.nanos();
    }

    /** How many the receiver permits at once; none before it has said so. */
    synchronized void permit(long streams) {
        permitted = (int) Math.min(streams, MOST);
    }

    synchronized int permitted() {
        return permitted;
    }

    /** A seat for one more request, false where there is none. */
    synchronized boolean take() {
        if (closed || leaving || taken >= permitted || begun >= MOST_REQUESTS) {
            return false;
        }
        taken++;
        begun++;
        return true;
    }

    /** Nobody waits for the stream's answer any more; it keeps the seat until the core has done with it. */
    synchronized void giveUp(Http2Stream stream) {
        if (!stream.hasLeftItsSeat()) {
            givenUp.add(stream);
        }
    }

    /** True for the last of a connection that takes no others. */
    synchronized boolean leave(Http2Stream stream) {
        givenUp.remove(stream);
        taken--;
        idleSince = clock.nanos();
        return taken == 0 && closed;
    }

    /** Takes no more requests; those that are on it go on. */
    synchronized void close() {
        closed = true;
    }

    synchronized boolean areFree() {
        return taken == 0;
    }

    /** Whether nobody on it waits for anything. */
    synchronized boolean areDeserted() {
        return givenUp.size() >= taken;
    }

    synchronized boolean areClosed() {
        return closed;
    }

    /** Nobody needs the connection; true the first time. */
    synchronized boolean leave() {
        boolean first = !leaving;
        leaving = true;
        return first;
    }

    synchronized boolean areLeft() {
        return leaving;
    }

    /** Whether nobody has sat on it for too long. */
    synchronized boolean areUnused(long now) {
        return taken == 0 && now - idleSince >= Connections.KEEP_ALIVE.toNanos();
    }

    synchronized boolean wereUsed() {
        return begun > 0;
    }
}
