package dev.ringfence.wake;

import dev.ringfence.background.Background;
import dev.ringfence.delivery.DeliveryStorageException;
import dev.ringfence.fanout.DeliveriesReady;
import dev.ringfence.job.DeliverySwitch;
import dev.ringfence.ordering.OrderSweep;
import dev.ringfence.ordering.OrderedKey;
import dev.ringfence.ordering.Releases;
import dev.ringfence.time.DatabaseTime;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/** Releases held deliveries on one thread of this node: of queues in which something moved at once, of the others with each beat of a timer. */
@ApplicationScoped
public class OrderRunner {
    private static final Logger LOG = System.getLogger(OrderRunner.class.getName());
    private static final int BATCH = 1_000;
    private static final int TRIES = 3;
    /** What is told beyond it is found by the sweep. */
    private static final int MOST_WAITING = 100_000;

    private final Releases releases;
    private final OrderSweep sweep;
    private final Event<DeliveriesReady> ready;
    private final DeliverySwitch delivery;
    private final Clock clock;
    private final SignalLoop loop;
    private final Set<OrderedKey> waiting = new LinkedHashSet<>();
    private final AtomicBoolean beat = new AtomicBoolean();

    @Inject
    public OrderRunner(
            Releases releases,
            OrderSweep sweep,
            Event<DeliveriesReady> ready,
            DeliverySwitch delivery,
            Background background,
            @DatabaseTime Clock clock) {
        this.releases = releases;
        this.sweep = sweep;
        this.ready = ready;
        this.delivery = delivery;
        this.clock = clock;
        this.loop = new SignalLoop(background, this::work);
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    OrderRunner() {
        this(null, null, null, null, null, null);
    }

    /** Something moved in these queues, and has committed. Returns at once. */
    public void moved(Collection<OrderedKey> keys) {
        synchronized (waiting) {
            if (waiting.size() < MOST_WAITING) {
                waiting.addAll(keys);
            }
        }
        loop.signal();
    }

    /** A beat of the timer. Returns at once. */
    void beat() {
        if (delivery.on()) {
            beat.set(true);
            loop.signal();
        }
    }

    private void work() {
        try {
            List<OrderedKey> keys;
            do {
                // Within the loop, because under load there is always something told, and the sweep must come all the
                // same.
                if (beat.getAndSet(false)) {
                    announce(sweep.sweep());
                }
                keys = taken();
                if (!keys.isEmpty()) {
                    announce(released(keys));
                }
            } while (!keys.isEmpty());
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "order: this run failed, a sweep will find what it left: {0}", e.toString());
        }
    }

    private int released(List<OrderedKey> keys) {
        for (int tried = 1; ; tried++) {
            try {
                return releases.release(keys, clock.instant());
            } catch (DeliveryStorageException beaten) {
                if (tried == TRIES || !beaten.worthRepeating()) {
                    throw beaten;
                }
            }
        }
    }

    private List<OrderedKey> taken() {
        List<OrderedKey> taken = new ArrayList<>();
        synchronized (waiting) {
            Iterator<OrderedKey> next = waiting.iterator();
            while (next.hasNext() && taken.size() < BATCH) {
                taken.add(next.next());
                next.remove();
            }
        }
        return taken;
    }

    private void announce(int released) {
        if (released > 0) {
            ready.fire(new DeliveriesReady(released));
        }
    }
}
