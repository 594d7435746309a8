package dev.ringfence.subscription;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ringfence.json.StrictJson;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What an envelope template may name (SB-1): the fields of the event's own envelope, and who gets it. */
final class TemplateValues {

    /** Fields that hold one value. */
    private static final Set<String> PLAIN = Set.of(
            "appId",
            "eventId",
            "eventName",
            "eventVersion",
            "occurredAt",
            "recordedAt",
            "producer",
            "aggregateType",
            "aggregateId",
            "workspaceId",
            "relationshipId",
            "correlationId",
            "causationId",
            "idempotencyKey",
            "orderingKey",
            "orderingSequence",
            "tenant");

    /** Fields with members of the producer's. */
    private static final Set<String> NESTED = Set.of("actor", "payload", "metadata");

    private static final String SUBSCRIPTION = "subscription";
    private static final Set<String> OF_SUBSCRIPTION = Set.of("id", "name");

    /** What every event has, and nothing else. */
    private static final JsonNode LEAST = StrictJson.tree(Map.ofEntries(
            Map.entry("appId", "a"),
            Map.entry("eventId", "e"),
            Map.entry("eventName", "a.b.c.v1"),
            Map.entry("eventVersion", 1),
            Map.entry("occurredAt", "t"),
            Map.entry("recordedAt", "t"),
            Map.entry("producer", "a"),
            Map.entry("aggregateType", "b"),
            Map.entry("aggregateId", "i"),
            Map.entry("actor", Map.of("type", "system")),
            Map.entry("correlationId", "c"),
            Map.entry("causationId", "c"),
            Map.entry("payload", Map.of()),
            Map.entry("metadata", Map.of()),
            Map.entry("tenant", "t"),
            Map.entry(SUBSCRIPTION, Map.of("id", "s", "name", "n"))));

    private TemplateValues() {}

    static boolean known(List<String> path) {
        String root = path.get(0);
        return switch (path.size()) {
            case 1 -> PLAIN.contains(root) || NESTED.contains(root);
            case 2 -> NESTED.contains(root) || (root.equals(SUBSCRIPTION) && OF_SUBSCRIPTION.contains(path.get(1)));
            default -> NESTED.contains(root);
        };
    }

    /** The values of an event for a subscription; the envelope itself is left as it is. */
    static JsonNode of(JsonNode envelope, Subscription subscription, @Nullable String tenant) {
        ObjectNode values = (ObjectNode) StrictJson.tree(Map.of());
        envelope.properties().forEach(field -> values.set(field.getKey(), field.getValue()));
        values.put("tenant", tenant);
        values.set(
                SUBSCRIPTION, StrictJson.tree(Map.of("id", subscription.id().toString(), "name", subscription.name())));
        return values;
    }

    /** The values of an event that has only what every event has. */
    static JsonNode least() {
        return LEAST;
    }
}
