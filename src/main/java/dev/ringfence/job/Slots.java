package dev.ringfence.job;

import dev.ringfence.config.Settings;
import dev.ringfence.time.NanoClock;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * What this node has in hand, per subscription and in all, so that only what has a free slot is reserved (AT-1) and a hanging
 * endpoint fills its own share only (HT-5). An endpoint that has just timed out keeps a few slots until it answers again; what is
 * for slow and hanging endpoints travels in {@link Lane}s of their own. Of a subscription with a rate no
 * more is taken than the rate allows (SB-7). Stragglers no longer count in all: they wait on the network, not on a worker.
 */
@ApplicationScoped
public class Slots {
    /** Slots of an endpoint that hangs: enough to notice that it answers again. */
    private static final int WHILE_HANGING = 2;

    /** A node that has just started begins with so few, and one more with each answer: cold code and sockets are slow. */
    private static final int AT_FIRST = 16;

    private static final long LEAST_BYTES = 16 << 20;

    private static final int UNLIMITED = Integer.MAX_VALUE;

    private static final Duration LONGEST_REST = Duration.ofSeconds(30);
    private static final int MOST_DOUBLINGS = 20;
    private static final int MOST_VAIN = 10_000;

    /** When what was left out for a moment is worth another look. */
    private static final Duration SOON = Duration.ofMillis(50);

    /**
     * @param counted whether it was counted as a request of its subscription's rate
     * @param bytes of its body
     */
    private record InHand(UUID subscription, boolean counted, int bytes) {}

    private final int capacity;
    private final long mostBytes;
    private final NanoClock clock;
    private final Map<Long, InHand> held = new HashMap<>();
    private final Set<Long> grounded = new HashSet<>();
    private final Map<UUID, Integer> taken = new HashMap<>();
    private final Lanes lanes = new Lanes();
    private final Map<Long, Long> shunned = new HashMap<>();

    /** How often in a row a delivery was not even begun. */
    private final Map<Long, Integer> vain = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Integer> eldest) {
            return size() > MOST_VAIN;
        }
    };

    private final Map<Long, Long> coolTenants = new HashMap<>();
    private final Map<UUID, Long> coolSubscriptions = new HashMap<>();
    private final Throttle throttle;
    private int stragglers;
    private int takenOver;
    private int allowed;
    private long bytes;

    @Inject
    public Slots(Settings settings, NanoClock clock) {
        this(
                settings.deliveryWorkers() * settings.deliveryWindow(),
                share(Runtime.getRuntime().maxMemory()),
                clock);
    }

    Slots(int capacity, NanoClock clock) {
        this(capacity, LEAST_BYTES, clock);
    }

    Slots(int capacity, long mostBytes, NanoClock clock) {
        this.capacity = capacity;
        this.mostBytes = mostBytes;
        this.clock = clock;
        this.throttle = new Throttle(clock);
        this.allowed = Math.min(capacity, AT_FIRST);
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    Slots() {
        this(0, 0, null);
    }

    /** Bodies are in memory from their reservation to their answer, some of them twice. */
    private static long share(long heap) {
        return Math.max(LEAST_BYTES, heap / 16);
    }

    /** How many more this node may take in hand. */
    synchronized int free() {
        return Math.max(0, allowed - (held.size() - stragglers));
    }

    /** Whether enough is free that looking for work is worth a statement now and then. */
    synchronized boolean roomy() {
        return room(8);
    }

    /** Whether so much is free that looking for work is worth a statement at once. */
    synchronized boolean spacious() {
        return room(3);
    }

    /** Where the bodies in hand take more than half of their memory, one that is found might have no room. */
    private boolean room(int part) {
        return bytes <= mostBytes / 2 && free() >= Math.max(1, allowed / part);
    }

    /**
     * Takes the candidate in hand; false where it is already, where its subscription's rate does not allow it now, and where there is no
     * memory for its body beside the others'. One that ends without a request is not counted.
     *
     * @param nodes how many nodes share the rate
     */
    synchronized boolean take(Candidate candidate, int nodes) {
        boolean crowded = bytes > 0 && bytes + candidate.bytes() > mostBytes;
        if (crowded || held.containsKey(candidate.id()) || !(candidate.ends() || throttle.admits(candidate, nodes))) {
            return false;
        }
        boolean counted = candidate.perSecond() != null && !candidate.ends();
        held.put(candidate.id(), new InHand(candidate.subscriptionId(), counted, candidate.bytes()));
        grounded.add(candidate.id());
        bytes += candidate.bytes();
        taken.merge(candidate.subscriptionId(), 1, Integer::sum);
        return true;
    }

    /** Gives slots back. */
    synchronized void free(Collection<Long> ids) {
        ids.forEach(vain::remove);
        release(ids, false);
    }

    /** Gives slots back of which nothing was sent. */
    synchronized void putBack(Collection<Long> ids) {
        release(ids, true);
    }

    private void release(Collection<Long> ids, boolean unsent) {
        for (Long id : ids) {
            InHand one = held.remove(id);
            if (one != null) {
                bytes -= one.bytes();
                grounded.remove(id);
                taken.computeIfPresent(one.subscription(), (key, count) -> count > 1 ? count - 1 : null);
                if (unsent && one.counted()) {
                    throttle.giveBack(one.subscription());
                }
            }
        }
        lanes.end(ids);
    }

    /** How deliveries to this endpoint travel now. */
    synchronized Lane lane(UUID subscription) {
        return lanes.of(subscription);
    }

    /** Whether another flight of this lane may begin, and would find somebody to take it over. */
    synchronized boolean open(Lane lane) {
        return lane == Lane.QUICK || (lanes.open(lane) && takenOver < Settings.STRAGGLERS);
    }

    /** A flight of these begins; it is over when none of them is in hand any more. */
    synchronized void begin(Lane lane, Collection<Candidate> batch) {
        lanes.begin(
                lane,
                batch.stream().map(Candidate::id).filter(held::containsKey).toList());
    }

    /** Whether one of these travels in a lane of its own. */
    synchronized boolean apart(Collection<Long> ids) {
        return lanes.apart(ids);
    }

    /** These keep a flight waiting. */
    synchronized void dragging(Collection<UUID> subscriptions) {
        subscriptions.forEach(lanes::dragging);
    }

    /** Puts these deliveries back and leaves them alone for a moment, so that a lost race is not run again at once. */
    synchronized void shun(Collection<Long> ids, Duration moment) {
        putBack(ids);
        long until = clock.nanos() + moment.toNanos();
        ids.forEach(id -> shunned.put(id, until));
    }

    /**
     * As {@link #shun} for what was not even begun: each time in a row for twice as long, so that what lasts does not write a row to the
     * ledger five times a second.
     */
    synchronized void rest(Collection<Long> ids, Duration first) {
        putBack(ids);
        long now = clock.nanos();
        for (Long id : ids) {
            int before = vain.merge(id, 1, Integer::sum) - 1;
            Duration moment = min(first.multipliedBy(1L << Math.min(before, MOST_DOUBLINGS)), LONGEST_REST);
            shunned.put(id, now + moment.toNanos());
        }
    }

    /** Leaves tenants alone for a moment whose fence is taken. */
    synchronized void cool(Collection<Long> tenantIds, Duration moment) {
        long until = clock.nanos() + moment.toNanos();
        tenantIds.forEach(id -> coolTenants.put(id, until));
    }

    /** Leaves subscriptions alone for a moment to which nothing can be sent now. */
    synchronized void coolSubscriptions(Collection<UUID> subscriptions, Duration moment) {
        long until = clock.nanos() + moment.toNanos();
        subscriptions.forEach(id -> coolSubscriptions.put(id, until));
    }

    /** What the endpoint did last. */
    synchronized void behaved(UUID subscription, Pace pace) {
        lanes.behaved(subscription, pace);
        if (pace != Pace.HUNG) {
            allowed = Math.min(capacity, allowed + 1);
        }
    }

    /** So many flights more have left their workers; negative where they have ended. */
    synchronized void takenOver(int more) {
        takenOver += more;
    }

    /** So many in hand now wait for slow endpoints without a worker; negative where they have ended. */
    synchronized void straggling(int more) {
        stragglers += more;
    }

    /** These are reserved, which every look at what is due sees by itself. */
    synchronized void departed(Collection<Long> ids) {
        ids.forEach(grounded::remove);
    }

    /** What a look would find and need not: in hand without a reservation, or left alone for a moment. */
    synchronized List<Long> left() {
        drop(shunned);
        List<Long> ids = new ArrayList<>(grounded);
        ids.addAll(shunned.keySet());
        return ids;
    }

    synchronized List<Long> coolTenants() {
        drop(coolTenants);
        return List.copyOf(coolTenants.keySet());
    }

    /** When something that is left out now will be worth another look, at most {@code longest}. */
    synchronized Duration pause(Duration longest) {
        long now = clock.nanos();
        long earliest = Stream.of(shunned, coolTenants, coolSubscriptions)
                .flatMap(leftOut -> leftOut.values().stream())
                .mapToLong(end -> end - now)
                .min()
                .orElse(Long.MAX_VALUE);
        Duration wait = min(throttle.untilOne(longest), Duration.ofNanos(earliest));
        return min(wait.compareTo(SOON) < 0 ? SOON : wait, longest);
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    synchronized List<ScanOrder.Load> loads() {
        Map<UUID, Integer> allowances = throttle.allowances();
        Set<UUID> limited = new HashSet<>(taken.keySet());
        limited.addAll(lanes.others());
        limited.addAll(allowances.keySet());
        drop(coolSubscriptions);
        limited.addAll(coolSubscriptions.keySet());
        List<ScanOrder.Load> loads = new ArrayList<>();
        for (UUID id : limited) {
            int count = taken.getOrDefault(id, 0);
            Integer allowance = allowances.get(id);
            // One at least, as a changed rate is learned from what the scan finds.
            Integer allowed = allowance == null ? null : Integer.valueOf(Math.max(1, allowance));
            loads.add(new ScanOrder.Load(id, count, most(id), allowed));
        }
        return loads;
    }

    private int most(UUID subscription) {
        Lane lane = lanes.of(subscription);
        if (!open(lane) || coolSubscriptions.containsKey(subscription)) {
            return 0;
        }
        return lane == Lane.HANGING ? WHILE_HANGING : UNLIMITED;
    }

    synchronized int held() {
        return held.size();
    }

    private void drop(Map<?, Long> until) {
        long now = clock.nanos();
        until.values().removeIf(end -> end - now <= 0);
    }
}
