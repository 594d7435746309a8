package dev.ringfence.delivery;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** What this node did since it started, one counter per transition (OB-6). Counters only grow. */
@ApplicationScoped
public class DeliveryCounters {
    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

    /** Counts {@code times} transitions of that name, such as {@code attempt.ACKNOWLEDGED}. */
    public void add(String transition, long times) {
        if (times > 0) {
            counts.computeIfAbsent(transition, name -> new LongAdder()).add(times);
        }
    }

    /** The present value, 0 for what never happened. */
    public long count(String transition) {
        LongAdder adder = counts.get(transition);
        return adder == null ? 0 : adder.sum();
    }

    /** All counters by name. */
    public Map<String, Long> snapshot() {
        Map<String, Long> copy = new TreeMap<>();
        counts.forEach((name, adder) -> copy.put(name, adder.sum()));
        return Collections.unmodifiableMap(copy);
    }
}
