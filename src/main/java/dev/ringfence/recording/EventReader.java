package dev.ringfence.recording;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ringfence.outbox.EventName;
import dev.ringfence.outbox.RawJson;
import dev.ringfence.time.Instants;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Turns checked event documents into {@link SubmittedEvent}s, with the producer's own bytes of what is passed on. */
final class EventReader {
    private final RawSlices raw;

    EventReader(RawSlices raw) {
        this.raw = raw;
    }

    /** Reads the array at {@code /events}; the schema and {@link EventChecks} found nothing wrong with it. */
    List<SubmittedEvent> read(JsonNode events) {
        List<SubmittedEvent> read = new ArrayList<>(events.size());
        for (int i = 0; i < events.size(); i++) {
            read.add(event(events.get(i), "/events/" + i));
        }
        return read;
    }

    private SubmittedEvent event(JsonNode event, String pointer) {
        Instant occurredAt =
                EventChecks.instant(event.get("occurredAt").textValue()).orElseThrow();
        RawJson metadata = raw.at(pointer + "/metadata");
        return new SubmittedEvent(
                pointer,
                name(event.get("name").textValue()),
                event.get("aggregateType").textValue(),
                event.get("aggregateId").textValue(),
                occurredAt,
                Objects.requireNonNull(raw.at(pointer + "/actor")),
                Objects.requireNonNull(raw.at(pointer + "/payload")),
                metadata == null ? RawJson.EMPTY_OBJECT : metadata,
                text(event, "workspaceId"),
                text(event, "relationshipId"),
                text(event, "causationId"),
                text(event, "occurrenceKey"),
                text(event, "orderingKey"),
                context(event),
                contentHash(event, occurredAt));
    }

    private static @Nullable MilestoneContext context(JsonNode event) {
        JsonNode context = event.path("context");
        return context.isObject()
                ? new MilestoneContext(
                        context.get("configurationRevision").longValue(),
                        context.get("publishedThemeId").textValue(),
                        context.get("enableGeneration").longValue())
                : null;
    }

    /** The same moment in another offset is the same content. */
    private static byte[] contentHash(JsonNode event, Instant occurredAt) {
        ObjectNode content = event.deepCopy();
        content.put("occurredAt", Instants.format(occurredAt));
        return ContentHash.of(content);
    }

    private static EventName name(String text) {
        if (EventName.parse(text) instanceof EventName.Parsed.Valid valid) {
            return valid.name();
        }
        throw new IllegalArgumentException("an unchecked event name");
    }

    private static @Nullable String text(JsonNode event, String field) {
        return event.path(field).textValue();
    }
}
