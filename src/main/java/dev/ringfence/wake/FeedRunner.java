package dev.ringfence.wake;

import dev.ringfence.feed.FeedPolls;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Answers requests that wait for something to read, on one thread of this node; signals that come meanwhile make one more look. */
@ApplicationScoped
public class FeedRunner {
    private static final Logger LOG = System.getLogger(FeedRunner.class.getName());

    private final FeedPolls polls;
    private final AtomicInteger signals = new AtomicInteger();

    @Resource
    private @Nullable ManagedExecutorService executor;

    @Inject
    public FeedRunner(FeedPolls polls) {
        this.polls = polls;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    FeedRunner() {
        this(null);
    }

    /** Deliveries were committed. Returns at once; costs nothing while nobody waits. */
    public void signal() {
        ManagedExecutorService threads = executor;
        if (threads != null && polls.waiting() > 0 && signals.getAndIncrement() == 0) {
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
                look();
                rest = signals.compareAndSet(seen, 0);
            }
        } finally {
            if (!rest) {
                signals.set(0);
            }
        }
    }

    /** Looks now, on this thread. */
    void look() {
        try {
            // Answers use no connection, so nothing of them stays with the threads that write them.
            ManagedExecutorService threads = executor;
            polls.look(threads == null ? Runnable::run : threads);
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "feeds: this look failed, the next follows: {0}", e.toString());
        }
    }
}
