package dev.ringfence.job;

import dev.ringfence.fence.FenceKey;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A delivery that was due when the scan saw it. Nothing here is a promise: the reservation decides.
 *
 * @param subscriptionVersion null where the subscription is gone
 * @param eventName null where the event's row is gone
 * @param perSecond most requests a second of its subscription, on all nodes; null where there is no limit
 * @param bytes of its body, 0 where its event's row is gone
 * @param ends whether it is certain not to be sent: too old, or of a subscription or an application that is gone or disabled
 */
record Candidate(
        long id,
        long tenantId,
        FenceKey fenceKey,
        boolean appEnabled,
        UUID subscriptionId,
        @Nullable Long subscriptionVersion,
        int cycle,
        int cycleAttempts,
        Instant cycleStartedAt,
        @Nullable String eventName,
        @Nullable Double perSecond,
        int bytes,
        boolean ends) {}
