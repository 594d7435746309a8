package dev.ringfence.ordering;

import dev.ringfence.time.DatabaseTime;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Clock;
import java.util.List;
import java.util.UUID;

/**
 * The net under all hints: goes round the queues, some at a time, and releases whoever has its turn. Also what nobody tells of comes this
 * way: a crash between a commit and its release, a subscription that no longer wants an order, an event that was given up.
 */
@ApplicationScoped
public class OrderSweep {
    /** Queues that one sweep looks at. */
    static final int QUEUES = 1_000;

    private static final OrderedKey START = new OrderedKey(new UUID(0, 0), "");

    private final Releases releases;
    private final Clock clock;
    private OrderedKey place = START;

    @Inject
    public OrderSweep(Releases releases, @DatabaseTime Clock clock) {
        this.releases = releases;
        this.clock = clock;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    OrderSweep() {
        this(null, null);
    }

    /** Looks at the next queues after those of the last call; returns how many deliveries it released. */
    public synchronized int sweep() {
        List<OrderedKey> queues = releases.queuesAfter(place, QUEUES);
        place = queues.size() < QUEUES ? START : queues.get(queues.size() - 1);
        return queues.isEmpty() ? 0 : releases.release(queues, clock.instant());
    }
}
