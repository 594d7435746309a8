package dev.ringfence.wake;

import dev.ringfence.config.Settings;
import dev.ringfence.job.CancelledTenants;
import dev.ringfence.job.CandidateFeed;
import dev.ringfence.time.NanoClock;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedThreadFactory;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Hears what other nodes committed and passes it on in this process. One thread and one session of its own; both come again when they
 * have failed, and meanwhile the timers look.
 */
@ApplicationScoped
public class Listener {
    private static final Logger LOG = System.getLogger(Listener.class.getName());
    private static final Duration SLICE = Duration.ofMillis(500);
    private static final Duration BETWEEN_CHECKS = Duration.ofSeconds(15);

    private final NoticeRepository notices;
    private final FanoutRunner fanout;
    private final CandidateFeed feed;
    private final FeedRunner readers;
    private final CancelledTenants cancelled;
    private final Settings settings;
    private final NanoClock nanos;

    @Resource
    private @Nullable ManagedThreadFactory threads;

    private @Nullable Thread thread;
    private volatile boolean stopped;

    @Inject
    public Listener(
            NoticeRepository notices,
            FanoutRunner fanout,
            CandidateFeed feed,
            FeedRunner readers,
            CancelledTenants cancelled,
            Settings settings,
            NanoClock nanos) {
        this.notices = notices;
        this.fanout = fanout;
        this.feed = feed;
        this.readers = readers;
        this.cancelled = cancelled;
        this.settings = settings;
        this.nanos = nanos;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    Listener() {
        this(null, null, null, null, null, null, null);
    }

    /** Starts to listen where nobody does. Cheap; call it each second. */
    synchronized void ensureListening() {
        ManagedThreadFactory factory = threads;
        boolean alive = thread != null && thread.isAlive();
        if (alive || stopped || factory == null) {
            return;
        }
        Thread next = factory.newThread(this::listen);
        next.setName("ringfence-listener");
        next.setDaemon(true);
        next.start();
        thread = next;
    }

    /** Ends the session; waits for it, at most that long. */
    void stop(Duration most) {
        stopped = true;
        Thread last;
        synchronized (this) {
            last = thread;
        }
        if (last != null) {
            try {
                last.join(most.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void listen() {
        try (NoticeRepository.Ear ear = notices.listen()) {
            // Between the last session's end and this moment nobody listened.
            fanout.signal();
            feed.signal();
            long nextCheck = nanos.nanos() + BETWEEN_CHECKS.toNanos();
            while (!stopped && !Thread.currentThread().isInterrupted()) {
                ear.hear(SLICE).forEach(this::pass);
                if (nextCheck - nanos.nanos() <= 0) {
                    ear.check();
                    nextCheck = nanos.nanos() + BETWEEN_CHECKS.toNanos();
                }
            }
        } catch (SQLException | RuntimeException e) {
            if (!stopped) {
                LOG.log(Level.INFO, "not told by other nodes for a moment, listening again soon: {0}", e.toString());
            }
        }
    }

    void pass(Notice notice) {
        if (notice.node().equals(settings.node())) {
            return;
        }
        if (!notice.cancelled().isEmpty()) {
            cancelled.cancel(notice.cancelled());
        }
        if (notice.hints().contains(Hint.RECORDED)) {
            fanout.signal();
        }
        if (notice.hints().contains(Hint.READY)) {
            feed.signal();
            readers.signal();
        }
    }
}
