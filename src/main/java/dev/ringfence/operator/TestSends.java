package dev.ringfence.operator;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.CorrelationIds;
import dev.ringfence.audit.Audit;
import dev.ringfence.idempotency.IdempotentAnswer;
import dev.ringfence.idempotency.Outcome;
import dev.ringfence.json.StrictJson;
import dev.ringfence.lifecycle.ActiveTenants;
import dev.ringfence.lifecycle.TenantLifecycle;
import dev.ringfence.outbox.DedupeKey;
import dev.ringfence.outbox.Envelope;
import dev.ringfence.outbox.EventName;
import dev.ringfence.outbox.OrdinalsRepository;
import dev.ringfence.outbox.RawJson;
import dev.ringfence.signing.EventIds;
import dev.ringfence.subscription.EnvelopeTemplate;
import dev.ringfence.subscription.Subscription;
import dev.ringfence.subscription.SubscriptionRepository;
import dev.ringfence.subscription.SubscriptionStatus;
import dev.ringfence.time.DatabaseTime;
import dev.ringfence.transport.OutcomeCode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.time.Clock;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;

/**
 * Test sends (SB-7): one attempt through the same engine, destination guard and signatures as every delivery, marked in body and header.
 * Nothing is recorded as an event, so it is no milestone and nobody else gets it; it counts in no statistics and disables nothing.
 */
@ApplicationScoped
class TestSends {
    private static final EventName EVENT = new EventName("ringfence", "subscription", "tested", 1);
    private static final RawJson SYSTEM = RawJson.of("{\"type\":\"system\"}");
    private static final RawJson MARK = RawJson.of("{\"test\":true}");

    @Inject
    ActiveTenants tenants;

    @Inject
    SubscriptionRepository subscriptions;

    @Inject
    TestSendRepository sends;

    @Inject
    OrdinalsRepository ordinals;

    @Inject
    CorrelationIds correlations;

    @Inject
    Deeds deeds;

    @Inject
    Audit audit;

    @Inject
    @DatabaseTime
    Clock clock;

    /**
     * Queues a test send.
     *
     * @throws ApiProblem 404; 409 {@code SUBSCRIPTION_PAUSED}, {@code SUBSCRIPTION_DISABLED}, {@code APP_DISABLED},
     *     {@code TENANT_REDACTED}; 503 {@code FENCE_TIMEOUT}
     */
    @Transactional
    IdempotentAnswer send(UUID appId, UUID subscriptionId, Deed deed) {
        Subscription found = subscriptions.find(appId, subscriptionId).orElseThrow(ApiProblem::notFound);
        TenantLifecycle tenant = tenants.underFence(found.tenantId());
        return deeds.once(tenant, deed, () -> queue(tenant, found, deed));
    }

    private Outcome queue(TenantLifecycle tenant, Subscription receiver, Deed deed) {
        if (!tenant.appEnabled()) {
            throw ApiProblem.conflict("APP_DISABLED", "The application is disabled.");
        }
        if (receiver.status() != SubscriptionStatus.ACTIVE) {
            throw ApiProblem.conflict(
                    "SUBSCRIPTION_" + receiver.status(),
                    "Only an active subscription is sent to; resume makes it active.");
        }
        UUID subscription = receiver.id();
        Instant now = clock.instant();
        long ordinal = ordinals.next(1)[0];
        byte[] subject = DedupeKey.sha256(StrictJson.write(Map.of("test", subscription)));
        String eventId = EventIds.event(now, ordinal, subject);
        byte[] body = body(tenant, receiver, envelope(tenant, subscription, eventId, now));
        String messageId = EventIds.message(now, ordinal, DedupeKey.sha256(body));
        if (!sends.insert(ordinal, tenant, subscription, eventId, messageId, body, now)) {
            throw ApiProblem.notFound();
        }
        audit.record(
                deed.caller().actor(),
                "subscription.test",
                tenant.appId(),
                tenant.tenantId(),
                subscription.toString(),
                null,
                StrictJson.tree(Map.of("delivery", Long.toString(ordinal))));
        return Outcome.of(202, new TestSend(Long.toString(ordinal), eventId, subscription));
    }

    /** What the receiver gets of events: a test send shows it the template too. */
    private static byte[] body(TenantLifecycle tenant, Subscription receiver, Envelope envelope) {
        EnvelopeTemplate template = receiver.destination().template();
        return template == null
                ? envelope.bytes()
                : template.render(StrictJson.parse(envelope.bytes()), receiver, tenant.tenant())
                        .orElseThrow(() -> ApiProblem.conflict(
                                OutcomeCode.BODY_TOO_LARGE.name(), "The template makes no body that could be sent."));
    }

    private Envelope envelope(TenantLifecycle tenant, UUID subscription, String eventId, Instant now) {
        return new Envelope(
                tenant.appId(),
                eventId,
                EVENT,
                now,
                now,
                "subscription",
                subscription.toString(),
                null,
                null,
                SYSTEM,
                correlations.issue(tenant.appId()).value(),
                subscription.toString(),
                null,
                MARK,
                MARK,
                null);
    }
}
