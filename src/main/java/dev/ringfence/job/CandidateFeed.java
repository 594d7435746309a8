package dev.ringfence.job;

import dev.ringfence.config.Settings;
import dev.ringfence.time.DatabaseTime;
import dev.ringfence.time.NanoClock;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Hands due deliveries to this node's workers, each to one. One scan at a time serves them all; between scans that found nothing it
 * waits for a signal or the poll period. No connection is held while anybody waits here.
 */
@ApplicationScoped
public class CandidateFeed {
    private static final Logger LOG = System.getLogger(CandidateFeed.class.getName());
    /** While little is free, slots gather for so long: a look for a few costs as much as one for many. */
    private static final Duration BETWEEN_SMALL = Duration.ofMillis(50);

    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);
    private static final Duration BETWEEN_LOOKS_AROUND = Duration.ofSeconds(1);
    /** A few of one endpoint cost hardly more than one. */
    private static final int LEAST = 2;

    /** Workers that land flights do not ask for more than about 15 s; who is silent for longer is stuck. */
    private static final Duration SILENCE = Duration.ofSeconds(30);

    private final CandidateRepository repository;
    private final Slots slots;
    private final DeliverySwitch delivery;
    private final Settings settings;
    private final Clock clock;
    private final NanoClock nanos;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<Lane, Deque<Candidate>> buffers = new EnumMap<>(Map.of(
            Lane.QUICK, new ArrayDeque<>(),
            Lane.SLOW, new ArrayDeque<>(),
            Lane.HANGING, new ArrayDeque<>()));
    private final ScanRing ring = new ScanRing();
    private volatile NodeShare share = NodeShare.ALL;
    private boolean scanning;
    private boolean signalled = true;
    private boolean stopped;
    private long nextScan;
    private long nextSmall;
    private volatile long lastAsked;
    private long nextLookAround;

    @Inject
    public CandidateFeed(
            CandidateRepository repository,
            Slots slots,
            DeliverySwitch delivery,
            Settings settings,
            @DatabaseTime Clock clock,
            NanoClock nanos) {
        this.repository = repository;
        this.slots = slots;
        this.delivery = delivery;
        this.settings = settings;
        this.clock = clock;
        this.nanos = nanos;
        this.nextScan = nanos == null ? 0 : nanos.nanos();
        this.nextSmall = nextScan;
        this.lastAsked = nextScan;
        this.nextLookAround = nextScan;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    CandidateFeed() {
        this(null, null, null, null, null, null);
    }

    /** Something may be due: look now. */
    public void signal() {
        lock.lock();
        try {
            signalled = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Slots are free again: worth another look where workers wait for work. */
    void slotsFreed() {
        lock.lock();
        try {
            if (lock.hasWaiters(changed) && next() == null) {
                signalled = true;
                changed.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Forgets what was found of these tenants and not handed out yet. */
    void forget(Collection<Long> tenantIds) {
        lock.lock();
        try {
            for (Deque<Candidate> buffer : buffers.values()) {
                List<Long> forgotten = buffer.stream()
                        .filter(candidate -> tenantIds.contains(candidate.tenantId()))
                        .map(Candidate::id)
                        .toList();
                buffer.removeIf(candidate -> tenantIds.contains(candidate.tenantId()));
                slots.putBack(forgotten);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether workers still come for work. */
    boolean asked() {
        return nanos.nanos() - lastAsked < SILENCE.toNanos();
    }

    /** Sets which deliveries are this node's. */
    public void share(NodeShare mine) {
        share = mine;
    }

    /** Hands out nothing any more; workers that wait get their empty answer at once. */
    public void stop() {
        lock.lock();
        try {
            stopped = true;
            for (Deque<Candidate> buffer : buffers.values()) {
                slots.putBack(buffer.stream().map(Candidate::id).toList());
                buffer.clear();
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Begins to hand out again, after {@link #stop}. */
    public void open() {
        lock.lock();
        try {
            stopped = false;
        } finally {
            lock.unlock();
        }
    }

    public boolean stopped() {
        lock.lock();
        try {
            return stopped;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The next deliveries for one worker, at most a window full; empty where none came in time. The caller gives each slot back.
     */
    List<Candidate> take(Duration wait) {
        lastAsked = nanos.nanos();
        long until = lastAsked + wait.toNanos();
        while (true) {
            lock.lock();
            try {
                if (!awaitWork(until)) {
                    return List.of();
                }
                Lane lane = next();
                if (lane != null) {
                    return drain(lane);
                }
                scanning = true;
                signalled = false;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return List.of();
            } finally {
                lock.unlock();
            }
            scan();
        }
    }

    /** True where the buffer has something or it is this thread's turn to scan; false where the time is over. */
    private boolean awaitWork(long until) throws InterruptedException {
        while (true) {
            long now = nanos.nanos();
            if (stopped || until - now <= 0) {
                return false;
            }
            long scanIn = delivery.on() && !scanning ? untilScan(now) : Long.MAX_VALUE;
            if (next() != null || scanIn <= 0) {
                return true;
            }
            changed.await(Math.min(until - now, scanIn), TimeUnit.NANOSECONDS);
        }
    }

    private long untilScan(long now) {
        long due = signalled ? 0 : nextScan - now;
        if (slots.spacious()) {
            return due;
        }
        return slots.roomy() ? Math.max(due, nextSmall - now) : Long.MAX_VALUE;
    }

    /** The lane whose turn it is, null where nothing may be handed out. The slow ones cost a worker little, so they go first. */
    private @Nullable Lane next() {
        for (Lane lane : List.of(Lane.HANGING, Lane.SLOW, Lane.QUICK)) {
            if (!buffer(lane).isEmpty() && slots.open(lane)) {
                return lane;
            }
        }
        return null;
    }

    private Deque<Candidate> buffer(Lane lane) {
        return Objects.requireNonNull(buffers.get(lane));
    }

    private List<Candidate> drain(Lane lane) {
        Deque<Candidate> buffer = buffer(lane);
        List<Candidate> batch = new ArrayList<>();
        while (batch.size() < settings.deliveryWindow() && !buffer.isEmpty()) {
            batch.add(buffer.poll());
        }
        slots.begin(lane, batch);
        if (next() != null) {
            changed.signal();
        }
        return batch;
    }

    private void scan() {
        @Nullable Scan found = null;
        try {
            found = repository.scan(order());
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "feed: no look at what is due, trying again soon: {0}", e.getMessage());
        } finally {
            lock.lock();
            try {
                scanned(found);
                scanning = false;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    private ScanOrder order() {
        Instant now = clock.instant();
        List<ScanHead> known = ring.known(nanos.nanos());
        return new ScanOrder(
                now,
                now.minus(settings.maxAge()),
                ring.place(),
                known,
                slots.free(),
                perEndpoint(),
                share.withOverdue(known.isEmpty() && looksAround()),
                slots.left(),
                slots.coolTenants(),
                slots.loads());
    }

    /**
     * So much of one endpoint that a scan gets around all that have something: else each of ten endpoints with a backlog would fill a
     * scan of its own, and whoever has one delivery would wait for ten.
     */
    private int perEndpoint() {
        return Math.min(settings.deliveryWindow(), Math.max(LEAST, slots.free() / ring.endpoints()));
    }

    /** Now and then only, because while all are busy their nodes would race for the same overdue deliveries. */
    private boolean looksAround() {
        long now = nanos.nanos();
        boolean due = nextLookAround - now <= 0;
        if (due) {
            nextLookAround = now + BETWEEN_LOOKS_AROUND.toNanos();
        }
        return due;
    }

    /** Takes in hand what may be handed out soon; of the slow lanes no more than a flight, so that the others keep their slots. */
    private void keep(List<Candidate> found) {
        for (Candidate candidate : found) {
            Lane lane = slots.lane(candidate.subscriptionId());
            Deque<Candidate> buffer = buffer(lane);
            boolean room = lane == Lane.QUICK || (slots.open(lane) && buffer.size() < settings.deliveryWindow());
            if (room && slots.take(candidate, share.nodes())) {
                buffer.add(candidate);
                ring.took(candidate.subscriptionId());
            }
        }
    }

    /** After a whole round without a find the feed rests; else it goes on as soon as somebody asks. */
    private void scanned(@Nullable Scan found) {
        long now = nanos.nanos();
        nextSmall = now + BETWEEN_SMALL.toNanos();
        if (found == null) {
            nextScan = now + AFTER_FAILURE.toNanos();
            return;
        }
        keep(stopped ? List.of() : found.candidates());
        boolean rest = ring.seen(found, now);
        nextScan = rest ? now + slots.pause(settings.poll()).toNanos() : now;
    }
}
