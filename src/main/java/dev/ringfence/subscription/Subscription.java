package dev.ringfence.subscription;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One subscriber's standing order for a tenant's events (SB-1), as the database held it when it was read. An operator creates it under
 * the tenant's fence; fan-out asks its filter and grants; each delivery freezes its URL and headers and obeys its rules. Secrets are not
 * part of it: {@link SubscriptionSecrets#open} opens them for the moment of sending.
 *
 * @param tenantId the narrow key of the tenant's lifecycle row
 * @param grants the families whose delivery was accepted (SB-5)
 * @param disabledReason why the status is {@link SubscriptionStatus#DISABLED}, else null
 * @param consecutiveDead dead deliveries since the last success (SB-6)
 * @param circuit whether its receiver is left alone now (SB-7)
 * @param createdAt by the clock of the node that created it: for people, since nodes' clocks differ
 * @param intake which events may become deliveries
 */
public record Subscription(
        UUID id,
        UUID appId,
        long tenantId,
        String name,
        Destination destination,
        EventFilter filter,
        List<SigningEntry> signing,
        DeliveryRules rules,
        Grants grants,
        SubscriptionStatus status,
        @Nullable String disabledReason,
        int consecutiveDead,
        CircuitState circuit,
        Instant createdAt,
        Intake intake) {

    public Subscription {
        signing = List.copyOf(signing);
    }

    /** True where an event of that ordinal may become a delivery (SB-3). */
    public boolean takesEvent(long ordinal) {
        return intake.takes(ordinal);
    }

    /** The same under another name, destination, filter and rules: what waits keeps its URL and headers (SB-4). */
    Subscription changedTo(SubscriptionDraft draft) {
        return new Subscription(
                id,
                appId,
                tenantId,
                draft.name(),
                draft.destination(),
                draft.filter(),
                signing,
                draft.rules(),
                grants,
                status,
                disabledReason,
                consecutiveDead,
                CircuitState.CLOSED,
                createdAt,
                intake);
    }
}
