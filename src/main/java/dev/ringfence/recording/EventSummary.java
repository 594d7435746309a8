package dev.ringfence.recording;

import dev.ringfence.outbox.OutboxStatus;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A recorded event in a list: everything but its payload. */
record EventSummary(
        String eventId,
        long ordinal,
        @Nullable String tenant,
        String name,
        int version,
        OutboxStatus status,
        Instant occurredAt,
        Instant recordedAt,
        @Nullable Instant publishedAt,
        String aggregateType,
        String aggregateId,
        @Nullable String workspaceId,
        @Nullable String relationshipId,
        String correlationId,
        String causationId,
        @Nullable String idempotencyKey,
        @Nullable String occurrenceKey,
        @Nullable String lastErrorCode) {
    EventQuery.Position position() {
        return new EventQuery.Position(recordedAt, ordinal);
    }
}
