package dev.ringfence.fanout;

import dev.ringfence.fence.FenceKey;
import dev.ringfence.ordering.OrderedKeys;
import dev.ringfence.subscription.RecipientRepository;
import dev.ringfence.time.DatabaseTime;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The second step of fan-out: deliveries and the mark {@code PUBLISHED} in one commit (OB-3). */
@ApplicationScoped
public class Publication {

    private final PublicationRepository rows;
    private final RecipientRepository subscriptions;
    private final NewDeliveriesRepository newDeliveries;
    private final OrderedKeys keys;
    private final Clock clock;

    @Inject
    public Publication(
            PublicationRepository rows,
            RecipientRepository subscriptions,
            NewDeliveriesRepository newDeliveries,
            OrderedKeys keys,
            @DatabaseTime Clock clock) {
        this.rows = rows;
        this.subscriptions = subscriptions;
        this.newDeliveries = newDeliveries;
        this.keys = keys;
        this.clock = clock;
    }

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    protected Publication() {
        this.rows = null;
        this.subscriptions = null;
        this.newDeliveries = null;
        this.keys = null;
        this.clock = null;
    }

    /**
     * Publishes what is still leased and whose tenant allows it; a tenant whose fence is taken is put off, not waited for.
     *
     * @return what was written; its rest is still leased and needs another call
     */
    @Transactional(Transactional.TxType.REQUIRES_NEW)
    public FanoutPlan publish(String holder, List<ClaimedEvent> events) {
        Instant now = clock.instant();
        rows.followIndexes();
        Situation situation = situation(events);
        FanoutPlan plan = FanoutPlanner.plan(events, situation, now);
        FanoutPlan held = plan.of(rows.move(holder, plan.moves(), now));
        if (!held.deliveries().isEmpty()) {
            newDeliveries.insert(held.deliveries(), now);
        }
        keys.moved(held.moves().stream()
                .filter(OutboxMove::ends)
                .flatMap(move -> situation.queuesOf(move.event()))
                .collect(Collectors.toSet()));
        return held;
    }

    /**
     * Ends the lease of an event that cannot be published: it is due again later, or dead.
     *
     * @return what was written; without a move where the lease had been lost
     */
    @Transactional(Transactional.TxType.REQUIRES_NEW)
    public FanoutPlan giveUp(String holder, ClaimedEvent event) {
        Instant now = clock.instant();
        rows.followIndexes();
        FanoutPlan plan = new FanoutPlan(List.of(FanoutBackoff.afterFailure(event, now)), List.of(), List.of());
        return plan.of(rows.move(holder, plan.moves(), now));
    }

    private Situation situation(List<ClaimedEvent> events) {
        Set<FenceKey> granted =
                rows.tryFences(events.stream().map(ClaimedEvent::fenceKey).toList());
        List<ClaimedEvent> reachable = events.stream()
                .filter(event -> granted.contains(event.fenceKey()))
                .toList();
        List<Long> tenantIds =
                reachable.stream().map(ClaimedEvent::tenantId).distinct().toList();
        List<String> types =
                reachable.stream().map(ClaimedEvent::eventName).distinct().toList();
        Audience audience = new Audience(subscriptions.takingOf(tenantIds, types));
        return new Situation(granted, rows.lifecycles(tenantIds), audience, envelopes(reachable, audience));
    }

    private Envelopes envelopes(List<ClaimedEvent> events, Audience audience) {
        List<ClaimedEvent> looked = events.stream()
                .filter(event -> FanoutPlanner.needsBody(audience.of(event)))
                .toList();
        return looked.isEmpty() ? Envelopes.NONE : rows.envelopes(looked, Envelopes.MOST);
    }
}
