package dev.ringfence.ordering;

import dev.ringfence.delivery.DeliveryCounters;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;

/**
 * Makes due whoever has its turn, in a transaction of its own. It has to begin after the commit of what may have made the turn: of all that end or come
 * in a queue, the last one to commit is followed by a look that sees them all, so nobody is forgotten, and no look sees less than
 * what committed before, so nobody is early.
 */
@ApplicationScoped
public class Releases {
    private final ReleaseRepository repository;
    private final DeliveryCounters counters;

    @Inject
    public Releases(ReleaseRepository repository, DeliveryCounters counters) {
        this.repository = repository;
        this.counters = counters;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    Releases() {
        this(null, null);
    }

    /**
     * Releases of each queue the first delivery, if it is held and all before it have ended. Works once: a second call finds it released.
     *
     * @return how many were released; they are due, and their age counts from now
     */
    @Transactional(Transactional.TxType.REQUIRES_NEW)
    public int release(Collection<OrderedKey> queues, Instant now) {
        int released = repository.release(queues, now.atOffset(ZoneOffset.UTC));
        counters.add("delivery.RELEASED", released);
        return released;
    }

    /** Queues with live deliveries after that one, in their order. */
    @Transactional(Transactional.TxType.REQUIRES_NEW)
    public List<OrderedKey> queuesAfter(OrderedKey place, int most) {
        return repository.queuesAfter(place, most);
    }
}
