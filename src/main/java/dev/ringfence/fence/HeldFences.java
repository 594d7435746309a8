package dev.ringfence.fence;

import jakarta.enterprise.context.ApplicationScoped;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** Who holds fences on this node: gauges, and the alarm about holders past their deadline (FN-2). */
@ApplicationScoped
public class HeldFences {

    private static final Logger LOG = System.getLogger(HeldFences.class.getName());

    private final Map<FenceSession, AtomicBoolean> open = new ConcurrentHashMap<>();

    /** Connections of this node that hold at least one fence. */
    public int connections() {
        return open.size();
    }

    /** Fences that this node holds, over all connections. */
    public int fences() {
        return open.keySet().stream().mapToInt(session -> session.held().size()).sum();
    }

    /** Holders past the time they asked for; each is logged once. Called by a timer. */
    public int overdue() {
        int overdue = 0;
        for (var holder : open.entrySet()) {
            if (holder.getKey().remaining().isZero()) {
                overdue++;
                alarm(holder.getKey(), holder.getValue());
            }
        }
        return overdue;
    }

    private static void alarm(FenceSession session, AtomicBoolean told) {
        if (told.compareAndSet(false, true)) {
            LOG.log(Level.WARNING, "A {0} fence is held past its deadline", session.mode());
        }
    }

    void opened(FenceSession session) {
        open.put(session, new AtomicBoolean());
    }

    void closed(FenceSession session) {
        open.remove(session);
    }

    void closeAll() {
        open.keySet().forEach(session -> {
            session.close();
            closed(session);
        });
    }
}
