package dev.ringfence.fanout;

import dev.ringfence.fence.FenceKey;
import java.time.Instant;
import java.util.UUID;

/**
 * One leased outbox row, as far as fan-out needs it.
 *
 * @param attempt how often the event has been claimed, this claim included
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
        int attempt,
        boolean ofBeforeEnabling) {}
