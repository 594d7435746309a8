package dev.ringfence.recording;

import dev.ringfence.api.Cursor;
import dev.ringfence.outbox.OutboxStatus;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which events a search wants; null is no condition.
 *
 * @param from earliest time of recording
 * @param to first time of recording that does not belong to it any more
 * @param after where the page begins
 */
record EventQuery(
        UUID appId,
        @Nullable Long tenantId,
        @Nullable OutboxStatus status,
        @Nullable String name,
        @Nullable String workspaceId,
        @Nullable String relationshipId,
        @Nullable Instant from,
        @Nullable Instant to,
        @Nullable Position after,
        int limit) {
    /** The same search in one tenant. */
    EventQuery ofTenant(long tenant) {
        return new EventQuery(appId, tenant, status, name, workspaceId, relationshipId, from, to, after, limit);
    }

    /** Place of an event in the list. */
    record Position(Instant recordedAt, long ordinal) {
        static final int PARTS = 2;

        static @Nullable Position of(@Nullable Cursor cursor) {
            return cursor == null
                    ? null
                    : new Position(
                            EventChecks.instant(cursor.parts().get(0)).orElseThrow(Cursor::invalid), cursor.number(1));
        }

        Cursor cursor() {
            return Cursor.of(recordedAt, ordinal);
        }
    }
}
