package dev.ringfence.fanout;

import dev.ringfence.fence.FenceKey;
import dev.ringfence.ordering.OrderPlace;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One leased outbox row, as far as fan-out needs it.
 *
 * @param octets how many bytes the event itself has
 * @param attempt how often the event has been claimed, this claim included
 * @param place where it stands in the order of its key; null where it has none (OB-5)
 * @param ofBeforeEnabling whether its application was disabled, and enabled again, after it was recorded (RT-2)
 */
@SuppressWarnings("ArrayRecordComponent") // a hash that nobody compares
record ClaimedEvent(
        long ordinal,
        Instant recordedAt,
        long tenantId,
        UUID appId,
        UUID epoch,
        FenceKey fenceKey,
        String eventId,
        String eventName,
        byte[] payloadSha256,
        int octets,
        int attempt,
        boolean ofBeforeEnabling,
        @Nullable OrderPlace place) {}
