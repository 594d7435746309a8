package dev.ringfence.job;

import dev.ringfence.time.NanoClock;
import jakarta.batch.operations.JobOperator;
import jakarta.batch.runtime.BatchRuntime;
import jakarta.batch.runtime.BatchStatus;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * Keeps one execution of the delivery job running on this node. What the batch repository says of executions from before a crash
 * does not matter: only this process knows whether its own is alive.
 */
@ApplicationScoped
public class DeliveryJob {
    private static final Logger LOG = System.getLogger(DeliveryJob.class.getName());
    private static final String NAME = "deliver";
    private static final Set<BatchStatus> ALIVE = Set.of(BatchStatus.STARTING, BatchStatus.STARTED);
    private static final Duration LOOK = Duration.ofSeconds(10);
    private static final Duration STEP = Duration.ofMillis(20);

    private final CandidateFeed feed;
    private final Slots slots;
    private final NanoClock nanos;
    private boolean running;
    private long execution;
    private long nextLook;

    @Inject
    public DeliveryJob(CandidateFeed feed, Slots slots, NanoClock nanos) {
        this.feed = feed;
        this.slots = slots;
        this.nanos = nanos;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    DeliveryJob() {
        this(null, null, null);
    }

    /** Starts an execution if none of this process runs. Cheap; call it often, without a transaction. */
    public synchronized void ensureRunning() {
        if (running && !vanished()) {
            return;
        }
        feed.open();
        execution = BatchRuntime.getJobOperator().start(NAME, new Properties());
        running = true;
        nextLook = nanos.nanos() + LOOK.toNanos();
        LOG.log(Level.DEBUG, "delivery job started, jobId={0}", Long.toString(execution));
    }

    /** Whether an execution of this process runs, as far as is known. */
    public synchronized boolean running() {
        return running;
    }

    synchronized void ended() {
        running = false;
    }

    /**
     * Hands out nothing more and waits, at most that long, for what is under way. What is open after that is reconciled by whoever
     * lives on.
     */
    public void stop(Duration most) {
        feed.stop();
        long until = nanos.nanos() + most.toNanos();
        int held = slots.held();
        if (held > 0) {
            LOG.log(Level.INFO, "delivery stops: {0} in hand, waiting for what is under way", held);
        }
        while ((slots.held() > 0 || running()) && until - nanos.nanos() > 0) {
            LockSupport.parkNanos(STEP.toNanos());
        }
    }

    /** True where the execution ended without telling: looked up now and then only. */
    private boolean vanished() {
        if (nextLook - nanos.nanos() > 0) {
            return false;
        }
        nextLook = nanos.nanos() + LOOK.toNanos();
        JobOperator operator = BatchRuntime.getJobOperator();
        return !ALIVE.contains(operator.getJobExecution(execution).getBatchStatus());
    }
}
