package dev.ringfence.wake;

import dev.ringfence.apps.Cancellations;
import dev.ringfence.background.Background;
import dev.ringfence.redaction.RedactionWork;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

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
    private final SignalLoop loop;
    private volatile boolean stopped;

    @Inject
    public ErasureRunner(RedactionWork redactions, Cancellations cancellations, Background background) {
        this.redactions = redactions;
        this.cancellations = cancellations;
        this.loop = new SignalLoop(background, this::work);
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    ErasureRunner() {
        this(null, null, null);
    }

    /** Something may be due. Returns at once. */
    public void signal() {
        if (!stopped) {
            loop.signal();
        }
    }

    /** Begins nothing more; waits, at most that long, for the step under way. What is left goes on elsewhere or later. */
    void stop(Duration most) {
        stopped = true;
        for (long left = most.toNanos(); left > 0 && loop.busy(); left -= STEP.toNanos()) {
            LockSupport.parkNanos(STEP.toNanos());
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
