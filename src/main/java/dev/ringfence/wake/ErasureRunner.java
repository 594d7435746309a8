package dev.ringfence.wake;

import dev.ringfence.apps.Cancellations;
import dev.ringfence.redaction.RedactionWork;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Carries redactions and the cancelling of disabled applications on, on one thread of this node, as long as something is due. Whether
 * the node delivers makes no difference.
 */
@ApplicationScoped
public class ErasureRunner {
    private static final Logger LOG = System.getLogger(ErasureRunner.class.getName());
    private static final Duration STEP = Duration.ofMillis(20);

    private final RedactionWork redactions;
    private final Cancellations cancellations;
    private final AtomicInteger signals = new AtomicInteger();
    private volatile boolean stopped;

    @Resource
    private @Nullable ManagedExecutorService executor;

    @Inject
    public ErasureRunner(RedactionWork redactions, Cancellations cancellations) {
        this.redactions = redactions;
        this.cancellations = cancellations;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    ErasureRunner() {
        this(null, null);
    }

    /** Something may be due. Returns at once. */
    public void signal() {
        ManagedExecutorService threads = executor;
        if (threads != null && !stopped && signals.getAndIncrement() == 0) {
            try {
                threads.execute(this::run);
            } catch (RejectedExecutionException stopping) {
                signals.set(0);
            }
        }
    }

    /** Begins nothing more; waits, at most that long, for the step under way. What is left goes on elsewhere or later. */
    void stop(Duration most) {
        stopped = true;
        for (long left = most.toNanos(); left > 0 && signals.get() > 0; left -= STEP.toNanos()) {
            LockSupport.parkNanos(STEP.toNanos());
        }
    }

    private void run() {
        boolean rest = false;
        try {
            while (!rest) {
                int seen = signals.get();
                work();
                rest = signals.compareAndSet(seen, 0);
            }
        } finally {
            if (!rest) {
                signals.set(0);
            }
        }
    }

    /** In turn: neither waits until the other has nothing more to do, nor does one that fails stop the other. */
    private void work() {
        boolean more = true;
        while (more && !stopped) {
            more = attempted("redaction", redactions::runOnce) | attempted("cancelling", this::cancel);
        }
    }

    /** One chunk of each application. */
    private boolean cancel() {
        boolean more = false;
        for (UUID app : cancellations.open()) {
            more |= cancellations.cancel(app);
        }
        return more;
    }

    private static boolean attempted(String what, BooleanSupplier step) {
        try {
            return step.getAsBoolean();
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "{0}: this run failed, the next follows: {1}", what, e.toString());
            return false;
        }
    }
}
