package dev.ringfence.fanout;

import dev.ringfence.fence.FenceKey;
import dev.ringfence.lifecycle.TenantLifecycle;
import dev.ringfence.subscription.Subscription;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a publish transaction found under the fences that it holds.
 *
 * @param granted the fences that it holds
 * @param tenants the lifecycle rows, read after the grant
 * @param subscriptions the subscriptions of each tenant that may take an event
 * @param envelopes the stored envelopes, of those events at least that a match filter has to see
 */
record Situation(
        Set<FenceKey> granted,
        Map<Long, TenantLifecycle> tenants,
        Map<Long, List<Subscription>> subscriptions,
        Envelopes envelopes) {

    List<Subscription> subscriptionsOf(ClaimedEvent event) {
        return subscriptions.getOrDefault(event.tenantId(), List.of());
    }
}
