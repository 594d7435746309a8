package dev.ringfence.wake;

import dev.ringfence.background.Background;
import dev.ringfence.config.Settings;
import dev.ringfence.time.NanoClock;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * Tells the other nodes, after the commit and outside of it. However many commits there are, one notice is under way at a time and
 * a few milliseconds lie between two: each notice's commit takes a lock of the whole database.
 */
@ApplicationScoped
public class Announcer {
    private static final Logger LOG = System.getLogger(Announcer.class.getName());
    private static final Duration BETWEEN = Duration.ofMillis(5);
    private static final int MOST_WAITING = 10_000;

    private final NoticeRepository notices;
    private final Settings settings;
    private final NanoClock nanos;
    private final SignalLoop loop;

    private final EnumSet<Hint> waiting = EnumSet.noneOf(Hint.class);
    private final Set<Long> cancelled = new LinkedHashSet<>();

    @Inject
    public Announcer(NoticeRepository notices, Settings settings, NanoClock nanos, Background background) {
        this.notices = notices;
        this.settings = settings;
        this.nanos = nanos;
        this.loop = new SignalLoop(background, this::tellAll);
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    Announcer() {
        this(null, null, null, null);
    }

    /** Tells it soon. Returns at once; where it cannot be told, the other nodes' timers find it. */
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
        synchronized (waiting) {
            add.run();
        }
        loop.signal();
    }

    private void tellAll() {
        for (Notice notice = taken(); !notice.empty(); notice = taken()) {
            long next = nanos.nanos() + BETWEEN.toNanos();
            tell(notice);
            rest(next);
        }
    }

    /** What waits, as much as fits into one notice. */
    private Notice taken() {
        synchronized (waiting) {
            Set<Long> tenants = cancelled.stream().limit(Notice.MOST_CANCELLED).collect(Collectors.toSet());
            Notice notice = new Notice(settings.node(), EnumSet.copyOf(waiting), tenants);
            waiting.clear();
            cancelled.removeAll(tenants);
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
