package dev.ringfence.recording;

import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.ringfence.outbox.OutboxStatus;
import java.util.List;
import java.util.UUID;

/**
 * One recorded event with what became of it.
 *
 * @param envelope the document
 * @param bytes the exact bytes that are sent; base64 in JSON
 * @param sha256 lower-case hex SHA-256 of those bytes
 */
record EventDetail(
        String eventId,
        long ordinal,
        @JsonRawValue String envelope,
        byte[] bytes,
        String sha256,
        OutboxStatus status,
        List<DeliveryLine> deliveries) {
    /** A delivery of the event. */
    record DeliveryLine(String id, UUID subscriptionId, String state) {}
}
