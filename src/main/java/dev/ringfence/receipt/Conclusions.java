package dev.ringfence.receipt;

import dev.ringfence.delivery.DeliveryCounters;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;

/** Ends deliveries that will not be sent: consent or configuration lost, attempts or age used up (SB-5, AT-5, AT-6). */
@ApplicationScoped
public class Conclusions {
    private final ConclusionRepository repository;
    private final DeliveryCounters counters;

    @Inject
    public Conclusions(ConclusionRepository repository, DeliveryCounters counters) {
        this.repository = repository;
        this.counters = counters;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    Conclusions() {
        this(null, null);
    }

    /**
     * Ends those that are still live, in the judged cycle and without an open attempt.
     *
     * @return how many ended
     */
    @Transactional(Transactional.TxType.REQUIRES_NEW)
    public int conclude(List<Conclusion> conclusions, Instant now) {
        if (conclusions.isEmpty()) {
            return 0;
        }
        int ended = repository.conclude(conclusions, now.atOffset(ZoneOffset.UTC));
        counters.add("delivery.concluded", ended);
        return ended;
    }
}
