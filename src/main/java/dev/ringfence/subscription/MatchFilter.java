package dev.ringfence.subscription;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The match filter of a subscription (SB-2): every field of one match equals the event's value or lists it; of several matches any one
 * suffices. A field is a dotted path into the envelope ({@code payload.country}). Numbers are equal by value (1 and 1.0), everything
 * else by type and value; a path that the envelope does not have equals nothing, not even {@code null}.
 *
 * @param matches the array as the subscriber wrote it, validated; empty takes every event
 */
public record MatchFilter(JsonNode matches) {

    /** Takes every event. */
    public static final MatchFilter ALL = new MatchFilter(JsonNodeFactory.instance.arrayNode());

    private static final Pattern DOT = Pattern.compile(".", Pattern.LITERAL);

    static MatchFilter of(@Nullable JsonNode matches) {
        return matches == null || matches.isEmpty() ? ALL : new MatchFilter(matches);
    }

    /** Whether the text can be a field: names joined by single dots. */
    static boolean isPath(String text) {
        return !text.isEmpty() && DOT.splitAsStream(text + ".x").noneMatch(String::isEmpty);
    }

    /** Where true, no envelope needs to be parsed. */
    public boolean acceptsAll() {
        return matches.isEmpty();
    }

    public boolean accepts(JsonNode envelope) {
        return acceptsAll() || matches.valueStream().anyMatch(match -> holds(match, envelope));
    }

    private static boolean holds(JsonNode match, JsonNode envelope) {
        return match.propertyStream().allMatch(field -> lists(field.getValue(), at(envelope, field.getKey())));
    }

    private static JsonNode at(JsonNode envelope, String path) {
        JsonNode node = envelope;
        for (String name : DOT.split(path)) {
            node = node.path(name);
        }
        return node;
    }

    private static boolean lists(JsonNode expected, JsonNode actual) {
        return expected.isArray()
                ? expected.valueStream().anyMatch(one -> equal(one, actual))
                : equal(expected, actual);
    }

    private static boolean equal(JsonNode expected, JsonNode actual) {
        if (expected.isNumber() && actual.isNumber()) {
            return expected.decimalValue().compareTo(actual.decimalValue()) == 0;
        }
        return expected.equals(actual);
    }
}
