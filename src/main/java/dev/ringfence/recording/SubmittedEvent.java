package dev.ringfence.recording;

import dev.ringfence.outbox.DedupeKey;
import dev.ringfence.outbox.EventName;
import dev.ringfence.outbox.RawJson;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An event as a producer submitted it, checked.
 *
 * @param pointer where it stands in the request
 * @param context of a milestone; null for an integration event
 * @param contentSha256 the same for the same content, however it is printed
 */
record SubmittedEvent(
        String pointer,
        EventName name,
        String aggregateType,
        String aggregateId,
        Instant occurredAt,
        RawJson actor,
        RawJson payload,
        RawJson metadata,
        @Nullable String workspaceId,
        @Nullable String relationshipId,
        @Nullable String causationId,
        @Nullable String occurrenceKey,
        @Nullable String orderingKey,
        @Nullable MilestoneContext context,
        byte[] contentSha256) {

    boolean milestone() {
        return context != null;
    }

    /** What it is recognised by when it comes again: nothing where it is no milestone and has no occurrence key. */
    @Nullable
    DedupeKey occurrence() {
        if (context != null) {
            return MilestoneId.key(name.toString(), context, occurrenceKey);
        }
        return occurrenceKey == null ? null : DedupeKey.ofOccurrence(occurrenceKey);
    }

    /** The place to name when its key was used for another event. */
    String keyPointer() {
        return occurrenceKey == null ? pointer : pointer + "/occurrenceKey";
    }
}
