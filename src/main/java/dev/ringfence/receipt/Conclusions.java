package dev.ringfence.receipt;

import dev.ringfence.delivery.DeliveryCounters;
import dev.ringfence.receipt.ConclusionRepository.Ended;
import dev.ringfence.subscription.DeadStreaks;
import dev.ringfence.subscription.Streak;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Ends deliveries that will not be sent: consent or configuration lost, attempts or age used up (SB-5, AT-5, AT-6). */
@ApplicationScoped
public class Conclusions {
    private final ConclusionRepository repository;
    private final DeadStreaks streaks;
    private final DeliveryCounters counters;

    @Inject
    public Conclusions(ConclusionRepository repository, DeadStreaks streaks, DeliveryCounters counters) {
        this.repository = repository;
        this.streaks = streaks;
        this.counters = counters;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    Conclusions() {
        this(null, null, null);
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
        List<Ended> ended = repository.conclude(conclusions, now.atOffset(ZoneOffset.UTC));
        Map<UUID, Streak> died = new HashMap<>();
        ended.stream()
                .filter(Ended::died)
                .forEach(one -> died.merge(
                        one.subscriptionId(),
                        Streak.dead(one.subscriptionId(), 1),
                        (before, another) -> before.thenDead(false)));
        streaks.count(died.values(), now);
        counters.add("delivery.concluded", ended.size());
        return ended.size();
    }
}
