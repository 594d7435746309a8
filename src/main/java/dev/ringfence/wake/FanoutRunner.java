package dev.ringfence.wake;

import dev.ringfence.fanout.Fanout;
import dev.ringfence.job.DeliverySwitch;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Runs the publisher on one thread of this node as long as there is work; signals that come meanwhile make one more run. */
@ApplicationScoped
public class FanoutRunner {
    private static final Logger LOG = System.getLogger(FanoutRunner.class.getName());

    private final Fanout fanout;
    private final DeliverySwitch delivery;
    private final AtomicInteger signals = new AtomicInteger();

    @Resource
    private @Nullable ManagedExecutorService executor;

    @Inject
    public FanoutRunner(Fanout fanout, DeliverySwitch delivery) {
        this.fanout = fanout;
        this.delivery = delivery;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    FanoutRunner() {
        this(null, null);
    }

    /** Events may wait for the publisher. Returns at once. */
    public void signal() {
        ManagedExecutorService threads = executor;
        if (threads != null && delivery.on() && signals.getAndIncrement() == 0) {
            try {
                threads.execute(this::run);
            } catch (RejectedExecutionException stopping) {
                signals.set(0);
            }
        }
    }

    private void run() {
        boolean rest = false;
        try {
            while (!rest) {
                int seen = signals.get();
                publish();
                rest = signals.compareAndSet(seen, 0);
            }
        } finally {
            if (!rest) {
                signals.set(0);
            }
        }
    }

    private void publish() {
        try {
            boolean more = true;
            while (more && delivery.on()) {
                more = fanout.runOnce().more();
            }
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "fan-out: this run failed, the next follows: {0}", e.toString());
        }
    }
}
