package dev.ringfence.fanout;

import dev.ringfence.fence.FenceKey;
import dev.ringfence.lifecycle.TenantLifecycle;
import dev.ringfence.ordering.OrderPlace;
import dev.ringfence.ordering.OrderedKey;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What a publish transaction found under the fences that it holds.
 *
 * @param granted the fences that it holds
 * @param tenants the lifecycle rows, read after the grant
 * @param audience the subscriptions that may take an event
 * @param envelopes the stored envelopes, of those events at least that a match filter has to see
 */
record Situation(Set<FenceKey> granted, Map<Long, TenantLifecycle> tenants, Audience audience, Envelopes envelopes) {

    /** The queues that look different when such an event is no longer one to come (OB-5). */
    Stream<OrderedKey> queuesOf(ClaimedEvent event) {
        OrderPlace place = event.place();
        return place == null
                ? Stream.empty()
                : audience.near(event).stream()
                        .filter(subscription -> subscription.rules().order().byKey())
                        .map(subscription -> new OrderedKey(subscription.id(), place.key()));
    }
}
