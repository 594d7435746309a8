package dev.ringfence.fanout;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Counts what fan-out did since the start (OB-6). */
@ApplicationScoped
public class FanoutCounters {

    /** What is counted. */
    public enum Counter {
        EVENTS_CLAIMED,
        LEASES_TAKEN_OVER,
        LEASES_LOST,
        EVENTS_PUBLISHED,
        EVENTS_RETRIED,
        EVENTS_DEAD_LETTERED,
        EVENTS_DISCARDED,
        DELIVERIES_QUEUED,
        DELIVERIES_SKIPPED,
        DELIVERIES_DENIED,
        DELIVERIES_OVERSIZE
    }

    private final Map<Counter, LongAdder> counts = new EnumMap<>(Counter.class);

    public FanoutCounters() {
        for (Counter counter : Counter.values()) {
            counts.put(counter, new LongAdder());
        }
    }

    void add(Counter counter, long amount) {
        adder(counter).add(amount);
    }

    public long count(Counter counter) {
        return adder(counter).sum();
    }

    private LongAdder adder(Counter counter) {
        return Objects.requireNonNull(counts.get(counter));
    }
}
