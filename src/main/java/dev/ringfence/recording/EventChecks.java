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
 * What a JSON schema cannot say about events: names with their precise reason (EV-2), instants, and which of them may be
 * milestones. Looks only at fields of the right type, so it adds to the schema's errors and repeats none.
 */
final class EventChecks {
    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant END = Instant.parse("+10000-01-01T00:00:00Z");

    private final boolean milestones;
    private final List<FieldError> errors = new ArrayList<>();

    private EventChecks(boolean milestones) {
        this.milestones = milestones;
    }

    /**
     * Every error of every event of {@code events}, which stands at {@code /events}.
     *
     * @param milestones whether milestones may be among them
     */
    static List<FieldError> of(JsonNode events, boolean milestones) {
        EventChecks checks = new EventChecks(milestones);
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
        milestone(event, pointer);
    }

    private void milestone(JsonNode event, String pointer) {
        boolean milestone = event.path("milestone").booleanValue();
        if (milestone && !milestones) {
            errors.add(new FieldError(
                    pointer + "/milestone",
                    "NOT_ALLOWED",
                    "an operation's events share its aggregate's transaction; a milestone follows a commit"));
        } else if (milestone && !event.has("context")) {
            errors.add(new FieldError(pointer + "/context", "REQUIRED", "a milestone belongs to a tracking context"));
        } else if (!milestone && event.has("context")) {
            errors.add(
                    new FieldError(pointer + "/context", "NOT_ALLOWED", "a tracking context belongs to a milestone"));
        }
    }

    private void name(String text, String pointer) {
        if (text.length() <= EventName.MAX_LENGTH
                && EventName.parse(text) instanceof EventName.Parsed.Refused refused) {
            errors.add(new FieldError(pointer, "BAD_EVENT_NAME", refused.reason()));
        }
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
