package dev.ringfence.recording;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.json.FieldError;
import dev.ringfence.outbox.EventName;
import dev.ringfence.time.Instants;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a JSON schema cannot say about events: names with their precise reason (EV-2), instants, and what this version does
 * not offer. Looks only at fields of the right type, so it adds to the schema's errors and repeats none.
 */
final class EventChecks {
    private static final String NOT_AVAILABLE = "NOT_AVAILABLE";

    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant END = Instant.parse("+10000-01-01T00:00:00Z");

    private final List<FieldError> errors = new ArrayList<>();

    private EventChecks() {}

    /** Every error of every event of {@code events}, which stands at {@code /events}. */
    static List<FieldError> of(JsonNode events) {
        EventChecks checks = new EventChecks();
        for (int i = 0; i < events.size(); i++) {
            checks.event(events.get(i), "/events/" + i);
        }
        return checks.errors;
    }

    private void event(JsonNode event, String pointer) {
        if (event.path("name").isTextual()) {
            name(event.get("name").textValue(), pointer + "/name");
        }
        instant(event, "occurredAt", pointer, errors);
        if (event.path("milestone").booleanValue()) {
            error(pointer + "/milestone", "milestones cannot be recorded by this version; leave the field out");
        }
        if (event.has("context")) {
            error(pointer + "/context", "a tracking context belongs to milestones, which this version cannot record");
        }
    }

    private void name(String text, String pointer) {
        if (text.length() <= EventName.MAX_LENGTH
                && EventName.parse(text) instanceof EventName.Parsed.Refused refused) {
            errors.add(new FieldError(pointer, "BAD_EVENT_NAME", refused.reason()));
        }
    }

    private void error(String pointer, String detail) {
        errors.add(new FieldError(pointer, NOT_AVAILABLE, detail));
    }

    /** Adds an error where a text field is no RFC 3339 instant with an offset. */
    static void instant(JsonNode parent, String field, String pointer, List<FieldError> errors) {
        JsonNode value = parent.path(field);
        if (value.isTextual() && instant(value.textValue()).isEmpty()) {
            errors.add(new FieldError(
                    pointer + '/' + field,
                    "BAD_FORMAT",
                    "an RFC 3339 date-time with offset, such as 2026-01-31T09:30:00.123Z, in the years 1 to 9999"));
        }
    }

    /** An RFC 3339 instant that PostgreSQL and RFC 3339 both can hold in UTC, cut to microseconds. */
    static Optional<Instant> instant(String text) {
        return Instants.parse(text).filter(instant -> !instant.isBefore(EARLIEST) && instant.isBefore(END));
    }
}
