package dev.ringfence.ordering;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import java.util.Collection;
import java.util.Set;

/** Where transactions that move something in an order say so. */
@ApplicationScoped
public class OrderedKeys {
    private final Event<KeysMoved> events;

    @Inject
    public OrderedKeys(Event<KeysMoved> events) {
        this.events = events;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    public OrderedKeys() {
        this.events = null;
    }

    /** Something moved in these queues, in the transaction that is under way: they are looked at once it has committed. */
    public void moved(Collection<OrderedKey> keys) {
        if (!keys.isEmpty()) {
            events.fire(new KeysMoved(Set.copyOf(keys)));
        }
    }
}
