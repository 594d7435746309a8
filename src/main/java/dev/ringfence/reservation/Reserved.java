package dev.ringfence.reservation;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One committed reservation with all that its request needs. Whoever holds it owes the ledger an outcome; a reservation that
 * nobody settles is closed as uncertain when its lease is over.
 *
 * @param number of the attempt in the ledger, over all cycles
 * @param cycleAttempt of the attempt in its cycle, from 1
 * @param requestStartedAt of the request that recorded the event (LC-3)
 * @param headers the subscriber's own headers as JSON text, or null
 * @param body the exact bytes to send; null where they are gone
 * @param test whether it is a test send, which counts nowhere (SB-7)
 * @param probe whether its outcome decides about the open circuit of its subscription (SB-7)
 */
@SuppressWarnings("ArrayRecordComponent") // bytes to send; two reservations are never compared by content
public record Reserved(
        long deliveryId,
        Instant createdAt,
        long tenantId,
        UUID epoch,
        UUID subscriptionId,
        UUID reservationId,
        int cycle,
        int number,
        int cycleAttempt,
        Instant cycleStartedAt,
        Instant requestStartedAt,
        String messageId,
        @Nullable String url,
        @Nullable String headers,
        @Nullable String traceparent,
        byte @Nullable [] body,
        boolean test,
        boolean probe) {

    /** Names the attempt only: URL, headers and body are the subscriber's. */
    @Override
    public String toString() {
        return "Reserved[delivery " + deliveryId + ", attempt " + number + ", " + reservationId + "]";
    }
}
