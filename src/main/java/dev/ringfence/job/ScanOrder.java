package dev.ringfence.job;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a scan looks for.
 *
 * @param expiredBefore cycles begun at or before it are too old
 * @param after the pair after which a part of a round begins
 * @param known pairs to go on with, each from its place; empty for a part of a round
 * @param limit most rows, where a pair with nothing due counts as one
 * @param perPair most candidates of one (tenant, subscription)
 * @param share which deliveries are this node's
 * @param heldIds deliveries to leave out: in hand without a reservation, or lost a moment ago
 * @param coolTenants tenants to leave out: their fence was taken a moment ago
 * @param loads of the subscriptions that have something in flight
 */
record ScanOrder(
        Instant now,
        Instant expiredBefore,
        ScanPlace after,
        List<ScanHead> known,
        int limit,
        int perPair,
        NodeShare share,
        Collection<Long> heldIds,
        Collection<Long> coolTenants,
        List<Load> loads) {

    /**
     * A subscription's slots on this node.
     *
     * @param taken in flight or in hand
     * @param most slots it may have for now, whatever its own limit
     * @param allowed requests that it may begin now, null where it has no rate
     */
    record Load(
            UUID subscriptionId,
            int taken,
            int most,
            @Nullable Integer allowed) {}
}
