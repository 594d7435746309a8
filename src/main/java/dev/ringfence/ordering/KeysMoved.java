package dev.ringfence.ordering;

import java.util.Set;

/**
 * CDI event, to be observed after the commit: something ended, or came, in these queues, and so another delivery may have its turn. A hint;
 * the sweep is the net under it.
 */
public record KeysMoved(Set<OrderedKey> keys) {
    public KeysMoved {
        keys = Set.copyOf(keys);
    }
}
