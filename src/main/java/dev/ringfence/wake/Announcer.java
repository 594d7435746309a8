package dev.ringfence.wake;

import dev.ringfence.config.Settings;
import dev.ringfence.time.NanoClock;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Tells the other nodes, after the commit and outside of it. However many commits there are, one notice is under way at a time and
 * a few milliseconds lie between two: each notice's commit takes a lock of the whole database.
 */
@ApplicationScoped
public class Announcer {
    private static final Logger LOG = System.getLogger(Announcer.class.getName());
    private static final Duration BETWEEN = Duration.ofMillis(5);

    private final NoticeRepository notices;
    private final Settings settings;
    private final NanoClock nanos;
    private static final int MOST_WAITING = 10_000;

    private final EnumSet<Hint> waiting = EnumSet.noneOf(Hint.class);
    private final Set<Long> cancelled = new LinkedHashSet<>();
    private boolean running;

    @Resource
    private @Nullable ManagedExecutorService executor;

    @Inject
    public Announcer(NoticeRepository notices, Settings settings, NanoClock nanos) {
        this.notices = notices;
        this.settings = settings;
        this.nanos = nanos;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    Announcer() {
        this(null, null, null);
    }

    /** Tells it soon. Returns at once; what cannot be told is not told, the other nodes' timers find it. */
    void announce(Hint hint) {
        announce(() -> waiting.add(hint));
    }

    /** Tells the others to drop what they have of the tenant, as {@link #announce(Hint)}. */
    void announceCancelled(long tenantId) {
        announce(() -> {
            if (cancelled.size() < MOST_WAITING) {
                cancelled.add(tenantId);
            }
        });
    }

    private void announce(Runnable add) {
        ManagedExecutorService threads = executor;
        if (threads == null) {
            return;
        }
        synchronized (waiting) {
            add.run();
            if (running) {
                return;
            }
            running = true;
        }
        try {
            threads.execute(this::run);
        } catch (RejectedExecutionException stopping) {
            over();
        }
    }

    private void run() {
        boolean finished = false;
        try {
            for (Notice notice = taken(); !notice.empty(); notice = taken()) {
                long next = nanos.nanos() + BETWEEN.toNanos();
                tell(notice);
                rest(next);
            }
            finished = true;
        } finally {
            if (!finished) {
                over();
            }
        }
    }

    private void over() {
        synchronized (waiting) {
            waiting.clear();
            cancelled.clear();
            running = false;
        }
    }

    /** What waits; with nothing waiting the run is over. */
    private Notice taken() {
        synchronized (waiting) {
            Set<Long> tenants = cancelled.stream().limit(Notice.MOST_CANCELLED).collect(Collectors.toSet());
            Notice notice = new Notice(settings.node(), EnumSet.copyOf(waiting), tenants);
            waiting.clear();
            cancelled.removeAll(tenants);
            running = !notice.empty();
            return notice;
        }
    }

    private void tell(Notice notice) {
        try {
            notices.tell(notice);
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.DEBUG, "the other nodes were not told: {0}", e.toString());
        }
    }

    private void rest(long until) {
        for (long left = until - nanos.nanos(); left > 0; left = until - nanos.nanos()) {
            LockSupport.parkNanos(left);
            if (Thread.currentThread().isInterrupted()) {
                return;
            }
        }
    }
}
