package dev.ringfence.transport;

import dev.ringfence.time.NanoClock;
import org.apache.hc.core5.http2.nio.command.PingCommand;
import org.apache.hc.core5.http2.nio.support.BasicPingHandler;
import org.apache.hc.core5.reactor.Command;
import org.apache.hc.core5.reactor.IOSession;

/**
 * Whether a receiver still reads what is sent to it. A request that had no answer in time leaves it open; a PING sent behind it, which
 * has to be answered (RFC 9113, 6.7), settles it. That a receiver talks does not: it may do so without reading. Safe for use by several
 * threads.
 */
final class Doubt {
    private final IOSession session;
    private final NanoClock clock;
    private boolean stands;
    private long since;

    Doubt(IOSession session, NanoClock clock) {
        this.session = session;
        this.clock = clock;
    }

    /** A request had no answer in time. */
    void raise() {
        synchronized (this) {
            if (stands) {
                return;
            }
            stands = true;
            since = clock.nanos();
        }
        session.enqueue(new PingCommand(new BasicPingHandler(this::settle)), Command.Priority.IMMEDIATE);
    }

    private synchronized void settle(boolean answered) {
        if (answered) {
            stands = false;
        }
    }

    synchronized boolean stands() {
        return stands;
    }

    /** Whether the receiver has had time to answer. */
    synchronized boolean isOld(long now) {
        return stands && now - since >= Connections.KEEP_ALIVE.toNanos();
    }
}
