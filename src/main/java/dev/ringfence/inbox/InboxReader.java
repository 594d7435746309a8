package dev.ringfence.inbox;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.JsonRequests;
import dev.ringfence.json.FieldError;
import dev.ringfence.json.JsonSchemas;
import dev.ringfence.json.StrictJson;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;

/** Reads the events out of a delivery: one event, or {@code {"events": […]}} with 1 to 50 of them. */
@ApplicationScoped
public class InboxReader {

    private static final String EVENTS = "events";
    private static final int MAX_EVENTS = 50;

    @Inject
    JsonRequests requests;

    @Inject
    JsonSchemas schemas;

    /**
     * Reads a body. Required fields are checked, unknown ones are ignored (IN-2).
     *
     * @throws ApiProblem 400, 413, or 422 with a pointer for every fault
     */
    List<InboxEvent> read(String consumer, byte[] raw) {
        JsonNode document = requests.document(raw);
        if (!document.has(EVENTS) || document.has("eventId")) {
            check(schemas.validate("inbox-event", document));
            return List.of(event(consumer, document, raw));
        }
        JsonNode list = document.get(EVENTS);
        if (!list.isArray() || list.isEmpty() || list.size() > MAX_EVENTS) {
            throw ApiProblem.invalid("/" + EVENTS, "OUT_OF_RANGE", "a list of 1 to " + MAX_EVENTS + " events");
        }
        check(errors(list));
        List<InboxEvent> events = new ArrayList<>();
        list.forEach(node -> events.add(event(consumer, node, StrictJson.write(node))));
        return events;
    }

    private List<FieldError> errors(JsonNode list) {
        List<FieldError> errors = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
            String place = "/" + EVENTS + "/" + i;
            schemas.validate("inbox-event", list.get(i)).stream()
                    .map(error -> new FieldError(place + error.pointer(), error.code(), error.detail()))
                    .forEach(errors::add);
        }
        return errors;
    }

    private static void check(List<FieldError> errors) {
        if (!errors.isEmpty()) {
            throw ApiProblem.invalid(errors);
        }
    }

    private static InboxEvent event(String consumer, JsonNode envelope, byte[] bytes) {
        return new InboxEvent(
                consumer,
                envelope.get("eventId").textValue(),
                envelope.get("appId").textValue(),
                envelope.get("eventName").textValue(),
                envelope,
                sha256(bytes));
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is not available", e);
        }
    }
}
