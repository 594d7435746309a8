package dev.ringfence.recording;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.ApiProblem;
import dev.ringfence.json.FieldError;
import dev.ringfence.json.JsonSchemas;
import dev.ringfence.json.StrictJson;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;

/** Reads request bodies that carry events, and reports everything that is wrong with them at once (RC-8). */
@ApplicationScoped
class RecordingRequests {
    /** Most events of one request. */
    static final int MAX_EVENTS = 50;

    private static final String WITH_MILESTONES = "events";

    private final JsonSchemas schemas;

    @Inject
    RecordingRequests(JsonSchemas schemas) {
        this.schemas = schemas;
    }

    /** For the container's proxy. */
    RecordingRequests() {
        this(new JsonSchemas());
    }

    /** A valid body: the document, where its objects stand in the bytes, and its events. */
    record Body(JsonNode document, RawSlices raw, List<SubmittedEvent> events) {}

    /**
     * Reads a body whose {@code events} are events and whose rest satisfies {@code schema}.
     *
     * @throws dev.ringfence.json.BadJson where it is no acceptable JSON
     * @throws ApiProblem 422 {@code INVALID} with every error of every event
     */
    Body read(byte[] raw, String schema) {
        JsonNode document = StrictJson.parse(raw);
        List<FieldError> errors = new ArrayList<>(schemas.validate(schema, document));
        EventChecks.instant(document, "requestStartedAt", "", errors);
        JsonNode events = document.path("events");
        if (events.isArray() && events.size() <= MAX_EVENTS) {
            for (int i = 0; i < events.size(); i++) {
                schema(events.get(i), "/events/" + i, errors);
            }
            errors.addAll(EventChecks.of(events, schema.equals(WITH_MILESTONES)));
        }
        if (!errors.isEmpty()) {
            throw ApiProblem.invalid(errors);
        }
        RawSlices slices = RawSlices.of(raw);
        return new Body(document, slices, new EventReader(slices).read(events));
    }

    private void schema(JsonNode event, String pointer, List<FieldError> errors) {
        for (FieldError error : schemas.validate("event", event)) {
            errors.add(new FieldError(pointer + error.pointer(), error.code(), error.detail()));
        }
    }
}
