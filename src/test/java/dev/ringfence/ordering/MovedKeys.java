package dev.ringfence.ordering;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Keeps what the container's observers would be told after the commit. */
public final class MovedKeys extends OrderedKeys {
    private final Queue<OrderedKey> moved = new ConcurrentLinkedQueue<>();

    @Override
    public void moved(Collection<OrderedKey> keys) {
        moved.addAll(keys);
    }

    /** What was told since the last call. */
    public Set<OrderedKey> taken() {
        Set<OrderedKey> taken = new LinkedHashSet<>();
        for (OrderedKey next = moved.poll(); next != null; next = moved.poll()) {
            taken.add(next);
        }
        return taken;
    }
}
