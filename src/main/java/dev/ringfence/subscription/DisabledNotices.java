package dev.ringfence.subscription;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.CorrelationIds;
import dev.ringfence.audit.Audit;
import dev.ringfence.json.StrictJson;
import dev.ringfence.lifecycle.LifecycleRepository;
import dev.ringfence.lifecycle.TenantLifecycle;
import dev.ringfence.outbox.DedupeKey;
import dev.ringfence.outbox.Envelope;
import dev.ringfence.outbox.EventName;
import dev.ringfence.outbox.NewEvent;
import dev.ringfence.outbox.OrdinalsRepository;
import dev.ringfence.outbox.Origin;
import dev.ringfence.outbox.OutboxRepository;
import dev.ringfence.outbox.RawJson;
import dev.ringfence.signing.EventIds;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Tells that a subscription was disabled (SB-6): in the audit log, and as an event of the tenant, {@value #NAME}, which its other
 * subscriptions may take. In the caller's transaction. While the tenant's fence is wanted by somebody alone, which is a redaction, no event
 * is recorded: waiting for the fence here could make both wait for each other.
 */
@ApplicationScoped
public class DisabledNotices {
    /** The event's name. */
    public static final String NAME = "ringfence.subscription.disabled.v1";

    private static final Logger LOG = System.getLogger(DisabledNotices.class.getName());
    private static final EventName EVENT = new EventName("ringfence", "subscription", "disabled", 1);
    private static final String ACTOR = "ringfence";
    private static final RawJson SYSTEM = RawJson.of("{\"type\":\"system\"}");

    private final LifecycleRepository lifecycles;
    private final OrdinalsRepository ordinals;
    private final OutboxRepository outbox;
    private final CorrelationIds correlations;
    private final Audit audit;

    @Inject
    public DisabledNotices(
            LifecycleRepository lifecycles,
            OrdinalsRepository ordinals,
            OutboxRepository outbox,
            CorrelationIds correlations,
            Audit audit) {
        this.lifecycles = lifecycles;
        this.ordinals = ordinals;
        this.outbox = outbox;
        this.correlations = correlations;
        this.audit = audit;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    DisabledNotices() {
        this(null, null, null, null, null);
    }

    void tell(Disabled disabled, Instant now) {
        String id = disabled.subscriptionId().toString();
        JsonNode facts = StrictJson.tree(
                Map.of("reason", disabled.reason().name(), "consecutiveDead", disabled.consecutiveDead()));
        audit.record(ACTOR, "subscription.disable", disabled.appId(), disabled.tenantId(), id, null, facts);
        LOG.log(Level.WARNING, "subscription={0} disabled reason={1}", id, disabled.reason());
        tenant(disabled).ifPresent(tenant -> record(tenant, disabled, now));
    }

    private Optional<TenantLifecycle> tenant(Disabled disabled) {
        return lifecycles
                .find(disabled.tenantId())
                .filter(tenant -> lifecycles.tryShared(tenant.fenceKey()))
                .flatMap(tenant -> lifecycles.find(tenant.tenantId()))
                .filter(TenantLifecycle::active);
    }

    private void record(TenantLifecycle tenant, Disabled disabled, Instant now) {
        long ordinal = ordinals.next(1)[0];
        String id = disabled.subscriptionId().toString();
        RawJson payload = RawJson.of(StrictJson.text(Map.of(
                "subscriptionId", id,
                "reason", disabled.reason().name(),
                "consecutiveDead", disabled.consecutiveDead())));
        byte[] content = DedupeKey.sha256((EVENT + "\n" + payload.text()).getBytes(StandardCharsets.UTF_8));
        Envelope envelope = new Envelope(
                tenant.appId(),
                EventIds.event(now, ordinal, content),
                EVENT,
                now,
                now,
                "subscription",
                id,
                null,
                null,
                SYSTEM,
                correlations.issue(tenant.appId()).value(),
                id,
                null,
                payload,
                RawJson.EMPTY_OBJECT,
                null);
        Origin origin = new Origin(tenant.appId(), tenant.tenantId(), tenant.epoch(), now, now, null);
        outbox.insert(origin, List.of(new NewEvent(ordinal, envelope, envelope.bytes(), null, content, null, false)));
    }
}
