package dev.ringfence.fanout;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.json.BadJson;
import dev.ringfence.json.StrictJson;
import dev.ringfence.lifecycle.TenantLifecycle;
import dev.ringfence.subscription.EnvelopeTemplate;
import dev.ringfence.subscription.Subscription;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides what becomes of claimed events; no database, no clock.
 *
 * <p>A subscription's type list says which events concern it at all: others leave no trace. Of those that do, its match filter may refuse
 * some: these are recorded as skipped (SB-3), so that an operator sees why nothing came. What passes both needs a grant (SB-5).
 */
final class FanoutPlanner {

    /** Deliveries after which a plan takes no further event: keeps a transaction well inside its lease and its time limit. */
    static final int FULL = 10_000;

    /** More than recording accepts of a body, for the envelope around it. */
    private static final int MAX_ENVELOPE_BYTES = 4 << 20;

    private FanoutPlanner() {}

    static FanoutPlan plan(List<ClaimedEvent> events, Situation situation, Instant now) {
        List<OutboxMove> moves = new ArrayList<>();
        List<PlannedDelivery> deliveries = new ArrayList<>();
        Bodies bodies = new Bodies();
        int next = 0;
        while (next < events.size()
                && deliveries.size() < FULL
                && !bodies.full()
                && !situation.envelopes().leaves(events.get(next))) {
            ClaimedEvent event = events.get(next++);
            OutboxMove move =
                    obstacle(event, situation, now).orElseGet(() -> match(event, situation, bodies, deliveries));
            moves.add(move);
        }
        return new FanoutPlan(moves, deliveries, events.subList(next, events.size()));
    }

    /** True where a match filter or a template of those whom an event concerns has to look into it. */
    static boolean needsBody(List<Subscription> concerned) {
        return concerned.stream()
                .anyMatch(subscription -> !subscription.filter().match().acceptsAll()
                        || subscription.destination().template() != null);
    }

    private static Optional<OutboxMove> obstacle(ClaimedEvent event, Situation situation, Instant now) {
        if (!situation.granted().contains(event.fenceKey())) {
            return Optional.of(OutboxMove.fenceTaken(event, now.plus(FanoutBackoff.FENCE_WAIT)));
        }
        FanoutCode reason = reasonToDiscard(event, situation.tenants().get(event.tenantId()));
        return Optional.ofNullable(reason).map(code -> OutboxMove.discarded(event, code));
    }

    private static @Nullable FanoutCode reasonToDiscard(ClaimedEvent event, @Nullable TenantLifecycle tenant) {
        if (tenant != null && !tenant.active()) {
            return FanoutCode.TENANT_REDACTED;
        }
        if (tenant == null || !tenant.epoch().equals(event.epoch())) {
            return FanoutCode.STALE_EPOCH;
        }
        return tenant.appEnabled() && !event.ofBeforeEnabling() ? null : FanoutCode.APP_DISABLED;
    }

    private static OutboxMove match(
            ClaimedEvent event, Situation situation, Bodies bodies, List<PlannedDelivery> deliveries) {
        List<Subscription> concerned = situation.audience().of(event);
        JsonNode envelope = null;
        if (needsBody(concerned)) {
            envelope = envelope(situation.envelopes().of(event));
            if (envelope == null) {
                return OutboxMove.dead(event, FanoutCode.MALFORMED_PAYLOAD);
            }
        }
        bodies.nextEvent();
        TenantLifecycle tenant = situation.tenants().get(event.tenantId());
        for (Subscription subscription : concerned) {
            Fate fate = fate(subscription, event, envelope);
            EnvelopeTemplate template = subscription.destination().template();
            byte[] body = null;
            // Also where consent is missing: an operator may send it once there is one.
            if (fate != Fate.SKIP && template != null && envelope != null) {
                body = bodies.render(template, envelope, subscription, tenant);
                fate = body == null ? Fate.OVERSIZE : fate;
            }
            deliveries.add(new PlannedDelivery(event, subscription.id(), fate, body));
        }
        return OutboxMove.published(event);
    }

    private static Fate fate(Subscription subscription, ClaimedEvent event, @Nullable JsonNode envelope) {
        if (envelope != null && !subscription.filter().match().accepts(envelope)) {
            return Fate.SKIP;
        }
        return subscription.grants().allow(event.eventName()) ? Fate.SEND : Fate.DENY;
    }

    private static @Nullable JsonNode envelope(byte @Nullable [] bytes) {
        if (bytes == null) {
            return null;
        }
        try {
            JsonNode envelope = StrictJson.parse(bytes, MAX_ENVELOPE_BYTES);
            return envelope.isObject() ? envelope : null;
        } catch (BadJson malformed) {
            return null;
        }
    }
}
