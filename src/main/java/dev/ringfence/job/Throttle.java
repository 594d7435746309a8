package dev.ringfence.job;

import dev.ringfence.time.NanoClock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * How many requests of rate-limited subscriptions this node may begin now (SB-7): a bucket for each, which fills at the subscription's rate
 * divided by the nodes that deliver, and holds one second's worth, at least one. In memory and per node on purpose: a common count would be
 * a write for every request. So all nodes together begin at most {@code rate × seconds}, and one second's worth, or one a node, at once.
 * A node that joins or leaves is noticed within seconds.
 *
 * <p>Not safe for use by several threads; {@link Slots} guards it.
 */
final class Throttle {
    private static final double NANOS = 1e9;

    private final NanoClock clock;
    private final Map<UUID, Bucket> buckets = new HashMap<>();

    /**
     * A bucket as it was at a moment.
     *
     * @param rate per second, on this node
     */
    private record Bucket(double rate, double tokens, long at) {

        Bucket now(long now) {
            double more = Math.max(0, now - at) / NANOS * rate;
            return new Bucket(rate, Math.min(depth(), tokens + more), now);
        }

        Bucket withRate(double other) {
            return new Bucket(other, tokens, at);
        }

        Bucket less() {
            return new Bucket(rate, tokens - 1, at);
        }

        Bucket more() {
            return new Bucket(rate, Math.min(depth(), tokens + 1), at);
        }

        /** Nanoseconds until one may begin. */
        double untilOne() {
            return (1 - tokens) / rate * NANOS;
        }

        double depth() {
            return Math.max(1, rate);
        }

        boolean full() {
            return tokens >= depth();
        }
    }

    Throttle(NanoClock clock) {
        this.clock = clock;
    }

    /** Whether one more request may begin, which is then counted: the candidate tells its subscription's rate of now. */
    boolean admits(Candidate candidate, int nodes) {
        UUID subscription = candidate.subscriptionId();
        Double perSecond = candidate.perSecond();
        if (perSecond == null) {
            buckets.remove(subscription);
            return true;
        }
        double rate = perSecond / Math.max(1, nodes);
        long now = clock.nanos();
        Bucket known = buckets.get(subscription);
        Bucket bucket =
                known == null ? new Bucket(rate, 1, now) : known.withRate(rate).now(now);
        boolean admitted = bucket.tokens() >= 1;
        buckets.put(subscription, admitted ? bucket.less() : bucket);
        return admitted;
    }

    /** How many may begin now, of each subscription that has begun some lately. */
    Map<UUID, Integer> allowances() {
        refill();
        Map<UUID, Integer> allowances = new HashMap<>();
        buckets.forEach((id, bucket) -> allowances.put(id, (int) bucket.tokens()));
        return allowances;
    }

    /** One that was counted did not begin. */
    void giveBack(UUID subscription) {
        buckets.computeIfPresent(subscription, (id, bucket) -> bucket.more());
    }

    /** How long until the first of those that may begin none now may begin one; {@code longest} where that is later, or there is none. */
    Duration untilOne(Duration longest) {
        refill();
        double nanos = buckets.values().stream()
                .filter(bucket -> bucket.tokens() < 1)
                .mapToDouble(Bucket::untilOne)
                .min()
                .orElse(Double.POSITIVE_INFINITY);
        return nanos < longest.toNanos() ? Duration.ofNanos((long) Math.ceil(nanos)) : longest;
    }

    /** Forgets full buckets: the next one begins with as much as has to be. */
    private void refill() {
        long now = clock.nanos();
        buckets.replaceAll((id, bucket) -> bucket.now(now));
        buckets.values().removeIf(Bucket::full);
    }
}
