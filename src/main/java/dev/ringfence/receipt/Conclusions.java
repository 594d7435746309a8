package dev.ringfence.receipt;

import dev.ringfence.delivery.DeliveryCounters;
import dev.ringfence.ordering.OrderedKeys;
import dev.ringfence.receipt.ConclusionRepository.Ended;
import dev.ringfence.subscription.DeadStreaks;
import dev.ringfence.subscription.Streak;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

/** Ends deliveries that will not be sent: consent or configuration lost, attempts or age used up (SB-5, AT-5, AT-6). */
@ApplicationScoped
public class Conclusions {
    private static final Logger LOG = System.getLogger(Conclusions.class.getName());

    private final ConclusionRepository repository;
    private final BlameRepository blame;
    private final DeadStreaks streaks;
    private final OrderedKeys keys;
    private final DeliveryCounters counters;

    @Inject
    public Conclusions(
            ConclusionRepository repository,
            BlameRepository blame,
            DeadStreaks streaks,
            OrderedKeys keys,
            DeliveryCounters counters) {
        this.repository = repository;
        this.blame = blame;
        this.streaks = streaks;
        this.keys = keys;
        this.counters = counters;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    Conclusions() {
        this(null, null, null, null, null);
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
        Set<Long> blamed = blame.ofReceivers(conclusions);
        List<Ended> ended = repository.conclude(conclusions, now.atOffset(ZoneOffset.UTC));
        Map<UUID, Streak> died = new HashMap<>();
        ended.stream()
                .filter(one -> !one.test() && blamed.contains(one.deliveryId()))
                .forEach(one -> died.merge(
                        one.subscriptionId(),
                        Streak.dead(one.subscriptionId(), 1),
                        (before, another) -> before.thenDead(false)));
        streaks.count(died.values(), now);
        keys.moved(ended.stream().flatMap(Ended::freed).toList());
        tell(conclusions, ended);
        return ended.size();
    }

    /** OB-6: one fact per transition. */
    private void tell(List<Conclusion> conclusions, List<Ended> ended) {
        Map<Long, Conclusion> judged = new HashMap<>();
        conclusions.forEach(one -> judged.put(one.deliveryId(), one));
        for (Ended one : ended) {
            Conclusion conclusion = Objects.requireNonNull(judged.get(one.deliveryId()));
            String what = one.test() ? "test." : "";
            counters.add(what + "delivery." + conclusion.state().text(), 1);
            counters.add(what + "concluded." + conclusion.code(), 1);
            LOG.log(
                    Level.DEBUG,
                    "transition=delivery.{0} outcome=CONCLUDED code={1} delivery={2}",
                    conclusion.state().text(),
                    conclusion.code(),
                    Long.toString(one.deliveryId()));
        }
    }
}
