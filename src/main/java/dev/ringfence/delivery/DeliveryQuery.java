package dev.ringfence.delivery;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A search for deliveries of an app, newest first; null is no condition.
 *
 * @param from of the creation, inclusive
 * @param to of the creation, exclusive
 * @param beforeId the last one seen
 */
record DeliveryQuery(
        UUID appId,
        @Nullable Long id,
        @Nullable Long tenantId,
        @Nullable UUID subscriptionId,
        @Nullable DeliveryState state,
        @Nullable String eventId,
        @Nullable Instant from,
        @Nullable Instant to,
        @Nullable Long beforeId,
        int limit) {

    /** The same search in one tenant; in all where it is null. */
    DeliveryQuery ofTenant(@Nullable Long tenant) {
        return new DeliveryQuery(appId, id, tenant, subscriptionId, state, eventId, from, to, beforeId, limit);
    }

    static DeliveryQuery one(UUID appId, long id) {
        return new DeliveryQuery(appId, id, null, null, null, null, null, null, null, 1);
    }
}
