package dev.ringfence.subscription;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * A valid request to subscribe, before it belongs to anybody.
 */
record SubscriptionDraft(
        String name,
        Destination destination,
        EventFilter filter,
        List<SigningRequest> signing,
        ReceiverAccess access,
        DeliveryRules rules,
        Grants grants) {

    /** The same, with what is kept of another access beside its own. */
    SubscriptionDraft keeping(AccessTerms kept) {
        Destination same = new Destination(
                destination.mode(),
                destination.url(),
                destination.headers(),
                destination.ack(),
                destination.timeout(),
                destination.template(),
                destination.access().with(kept));
        return new SubscriptionDraft(name, same, filter, signing, access, rules, grants);
    }

    Subscription subscribe(UUID id, UUID appId, long tenantId, Instant now, long ordinal) {
        return new Subscription(
                id,
                appId,
                tenantId,
                name,
                destination,
                filter,
                signing.stream().map(SigningRequest::entry).toList(),
                rules,
                grants,
                SubscriptionStatus.ACTIVE,
                null,
                0,
                CircuitState.CLOSED,
                now,
                Intake.from(ordinal));
    }
}
