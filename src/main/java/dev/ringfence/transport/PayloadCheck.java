package dev.ringfence.transport;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.json.BadJson;
import dev.ringfence.json.StrictJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads a stored body again before it is sent with profile RECEIPT (HT-3). */
public final class PayloadCheck {
    private static final int MAX_EVENTS = 50;

    private PayloadCheck() {}

    /**
     * The app ids of the events in a body: one event, or {@code events} with 1 to 50 of them.
     *
     * @return empty where the body is neither
     */
    public static Optional<List<String>> appIds(byte[] body) {
        JsonNode root;
        try {
            root = StrictJson.parse(body, Integer.MAX_VALUE);
        } catch (BadJson e) {
            return Optional.empty();
        }
        JsonNode events = root.get("events");
        if (events == null) {
            return appIds(List.of(root));
        }
        if (!events.isArray() || events.isEmpty() || events.size() > MAX_EVENTS) {
            return Optional.empty();
        }
        return appIds(events);
    }

    private static Optional<List<String>> appIds(Iterable<JsonNode> events) {
        List<String> appIds = new ArrayList<>();
        for (JsonNode event : events) {
            JsonNode appId = event.get("appId");
            if (appId == null || !appId.isTextual()) {
                return Optional.empty();
            }
            appIds.add(appId.textValue());
        }
        return Optional.of(List.copyOf(appIds));
    }
}
