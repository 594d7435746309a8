package dev.ringfence.job;

import dev.ringfence.fence.FenceKey;
import dev.ringfence.fence.SharedFence;
import dev.ringfence.receipt.Attempted;
import dev.ringfence.reservation.Reserved;
import dev.ringfence.time.NanoClock;
import dev.ringfence.transport.SendResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A batch of reserved deliveries under one fence whose requests are under way. Answers come from any thread; one thread at a time
 * takes them and settles them, then lets the fence go (FN-7).
 */
final class Flight implements AutoCloseable {
    private final SharedFence fence;
    private final Map<Long, FenceKey> keys;
    private final NanoClock nanos;
    private final Map<Long, Attempted> open = new HashMap<>();
    private final LinkedBlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
    private volatile long departed;

    /** @param keys the fence keys of the tenants on board */
    Flight(SharedFence fence, Map<Long, FenceKey> keys, NanoClock nanos) {
        this.fence = fence;
        this.keys = Map.copyOf(keys);
        this.nanos = nanos;
        this.departed = nanos.nanos();
    }

    SharedFence fence() {
        return fence;
    }

    /** One more attempt that owes an answer. */
    void expect(Attempted attempted) {
        departed = nanos.nanos();
        open.put(attempted.reserved().deliveryId(), attempted);
    }

    void answered(Attempted attempted, SendResult result) {
        answers.add(new Answer(attempted, result, age()));
    }

    /** How long ago its requests departed. */
    Duration age() {
        return Duration.ofNanos(nanos.nanos() - departed);
    }

    /** Whom it still waits for; an answer that nobody has taken yet is not waited for. */
    Set<UUID> awaited() {
        Set<Long> answered = answers.stream()
                .map(answer -> answer.attempted().reserved().deliveryId())
                .collect(Collectors.toSet());
        return open.values().stream()
                .map(Attempted::reserved)
                .filter(reserved -> !answered.contains(reserved.deliveryId()))
                .map(Reserved::subscriptionId)
                .collect(Collectors.toSet());
    }

    /** How many attempts are not settled yet. */
    int open() {
        return open.size();
    }

    /** The deliveries whose attempts are not settled yet. */
    List<Long> openIds() {
        return List.copyOf(open.keySet());
    }

    /**
     * Waits for answers and then a little for more of them, so that one transaction can take many.
     *
     * @param most how many at most
     */
    List<Answer> take(Duration wait, Duration linger, int most) throws InterruptedException {
        List<Answer> taken = new ArrayList<>();
        Answer next = answers.poll(wait.toNanos(), TimeUnit.NANOSECONDS);
        long until = nanos.nanos() + linger.toNanos();
        while (next != null) {
            taken.add(next);
            answers.drainTo(taken, most - taken.size());
            boolean full = taken.size() >= Math.min(most, open.size());
            next = full ? null : answers.poll(Math.max(0, until - nanos.nanos()), TimeUnit.NANOSECONDS);
        }
        return taken;
    }

    /** These are settled, or given up. */
    void settled(List<Answer> done) {
        done.forEach(answer -> open.remove(answer.attempted().reserved().deliveryId()));
    }

    /**
     * Lets go of the fences of tenants that have nothing open any more.
     *
     * @throws dev.ringfence.fence.FenceLost when the session is gone
     */
    void trim() {
        Set<FenceKey> idle = new HashSet<>(fence.granted());
        for (Attempted attempted : open.values()) {
            @Nullable FenceKey needed = keys.get(attempted.reserved().tenantId());
            if (needed != null) {
                idle.remove(needed);
            }
        }
        if (!idle.isEmpty()) {
            fence.release(idle);
        }
    }

    @Override
    public void close() {
        fence.close();
    }
}
