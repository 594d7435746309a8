package dev.ringfence.subscription;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.ringfence.json.StrictJson;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The body that a subscriber wants instead of the event's own envelope (SB-1): a JSON document in whose texts {@code {{path}}} stands for a
 * value. A text that is nothing but one placeholder becomes the value itself, of whatever type; within other text it becomes the value's text.
 * What an event does not have is {@code null}, or no text. Values are put into a tree and written by a JSON writer, and never looked at
 * for placeholders, so nothing that an event holds can change the document's shape.
 */
public final class EnvelopeTemplate {

    /** Most bytes of a rendered body. */
    public static final int MAX_BODY = 2 << 20;

    private final JsonNode given;
    private final JsonNode document;
    private final Map<String, TemplateText> texts;

    EnvelopeTemplate(JsonNode given, JsonNode document, Map<String, TemplateText> texts) {
        this.given = given;
        this.document = document;
        this.texts = Map.copyOf(texts);
    }

    /** Renders nothing. */
    static EnvelopeTemplate unreadable(JsonNode given) {
        return new EnvelopeTemplate(given, MissingNode.getInstance(), Map.of());
    }

    /** As the subscriber wrote it: the document, or its text. */
    public JsonNode given() {
        return given;
    }

    /**
     * The body for an event, in UTF-8; empty where it would have more than {@value #MAX_BODY} bytes.
     *
     * @param envelope the event's own envelope
     * @param tenant the tenant's clear name
     */
    public Optional<byte[]> render(JsonNode envelope, Subscription subscription, @Nullable String tenant) {
        return render(TemplateValues.of(envelope, subscription, tenant));
    }

    Optional<byte[]> render(JsonNode values) {
        Rendering rendering = new Rendering(values);
        JsonNode body = rendering.node(document);
        return rendering.left < 0 || body.isMissingNode() ? Optional.empty() : StrictJson.write(body, MAX_BODY);
    }

    /** One rendering. Text is made only as long as there is room for it. */
    private final class Rendering {
        private final JsonNode values;
        private final Map<TemplateText.Path, String> written = new HashMap<>();
        private long left = MAX_BODY;

        Rendering(JsonNode values) {
            this.values = values;
        }

        JsonNode node(JsonNode template) {
            if (template.isObject()) {
                var object = JsonNodeFactory.instance.objectNode();
                template.properties().forEach(member -> object.set(member.getKey(), node(member.getValue())));
                return object;
            }
            if (template.isArray()) {
                var array = JsonNodeFactory.instance.arrayNode();
                template.forEach(item -> array.add(node(item)));
                return array;
            }
            TemplateText text = template.isTextual() ? texts.get(template.textValue()) : null;
            return text == null ? template : value(text);
        }

        private JsonNode value(TemplateText text) {
            if (text.parts().size() == 1 && text.parts().get(0) instanceof TemplateText.Path alone) {
                JsonNode value = alone.in(values);
                return value.isMissingNode() ? JsonNodeFactory.instance.nullNode() : value;
            }
            StringBuilder joined = new StringBuilder();
            for (TemplateText.Part part : text.parts()) {
                String piece = piece(part);
                left -= piece.length();
                if (left >= 0) {
                    joined.append(piece);
                }
            }
            return JsonNodeFactory.instance.textNode(joined.toString());
        }

        private String piece(TemplateText.Part part) {
            return part instanceof TemplateText.Literal literal
                    ? literal.text()
                    : written.computeIfAbsent((TemplateText.Path) part, path -> text(path.in(values)));
        }
    }

    private static String text(JsonNode value) {
        if (value.isNull() || value.isMissingNode()) {
            return "";
        }
        return value.isContainerNode() ? new String(StrictJson.write(value), StandardCharsets.UTF_8) : value.asText();
    }

    /** The same template, given in the same form. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof EnvelopeTemplate that && given.equals(that.given);
    }

    @Override
    public int hashCode() {
        return given.hashCode();
    }

    /** Not its text, which may hold what the subscriber holds for confidential. */
    @Override
    public String toString() {
        return "EnvelopeTemplate";
    }
}
