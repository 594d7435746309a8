package dev.ringfence.subscription;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.json.BadJson;
import dev.ringfence.json.FieldError;
import dev.ringfence.json.StrictJson;
import dev.ringfence.transport.AckProfile;
import dev.ringfence.transport.PayloadCheck;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the member {@code envelope}. Whatever is wrong with a template is found here, with its place, and not by the events. */
final class TemplateReader {

    static final int MAX_BYTES = 16_384;
    static final int MAX_DEPTH = 16;
    static final int MAX_PLACEHOLDERS = 200;

    private static final String POINTER = "/envelope";
    private static final Set<String> RESERVED = Set.of("cloudevents-structured", "cloudevents-binary");

    private final List<FieldError> errors;
    private final Map<String, TemplateText> texts = new HashMap<>();
    private int placeholders;

    private TemplateReader(List<FieldError> errors) {
        this.errors = errors;
    }

    /** The template; null where there is none, or none that could be used, which is then an error. */
    static @Nullable EnvelopeTemplate read(JsonNode request, AckProfile ack, List<FieldError> errors) {
        JsonNode given = request.path("envelope");
        if (given.isMissingNode() || given.isNull()) {
            return null;
        }
        int before = errors.size();
        EnvelopeTemplate template = new TemplateReader(errors).read(given);
        if (template == null || errors.size() > before) {
            return null;
        }
        check(template, ack, errors);
        return template;
    }

    /** A template that was checked when it was stored. One that cannot be read all the same renders no body, and harms nobody else. */
    static EnvelopeTemplate stored(JsonNode given) {
        List<FieldError> errors = new ArrayList<>();
        EnvelopeTemplate template = new TemplateReader(errors).read(given);
        return template == null || !errors.isEmpty() ? EnvelopeTemplate.unreadable(given) : template;
    }

    private @Nullable EnvelopeTemplate read(JsonNode given) {
        JsonNode document = document(given);
        if (document == null) {
            return null;
        }
        if (!document.isContainerNode()) {
            error("", "WRONG_TYPE", "A template is a JSON object or array, or the text of one.");
            return null;
        }
        if (StrictJson.write(document, MAX_BYTES).isEmpty()) {
            tooLong();
            return null;
        }
        look(document, "", 1);
        if (placeholders > MAX_PLACEHOLDERS) {
            error("", "TOO_MANY", "A template has at most " + MAX_PLACEHOLDERS + " placeholders.");
        }
        return new EnvelopeTemplate(given, document, texts);
    }

    private @Nullable JsonNode document(JsonNode given) {
        if (!given.isTextual()) {
            return given;
        }
        if (RESERVED.contains(given.textValue())) {
            error("", "NOT_AVAILABLE", "CloudEvents are not available yet.");
            return null;
        }
        if (given.textValue().length() > MAX_BYTES) {
            return tooLong();
        }
        try {
            return StrictJson.parse(given.textValue().getBytes(StandardCharsets.UTF_8));
        } catch (BadJson bad) {
            error(bad.pointer(), bad.code(), "The text of a template is JSON.");
            return null;
        }
    }

    private @Nullable JsonNode tooLong() {
        error("", "TOO_LONG", "A template has at most " + MAX_BYTES + " bytes.");
        return null;
    }

    private void look(JsonNode node, String place, int depth) {
        if (depth > MAX_DEPTH && node.isContainerNode()) {
            error(place, "TOO_DEEP", "A template has at most " + MAX_DEPTH + " levels.");
        } else if (node.isObject()) {
            node.properties().forEach(member -> {
                String pointer = FieldError.memberPointer(place, member.getKey());
                if (TemplateText.isIn(member.getKey())) {
                    error(pointer, "BAD_PLACEHOLDER", "Names of members hold no placeholders.");
                }
                look(member.getValue(), pointer, depth + 1);
            });
        } else if (node.isArray()) {
            for (int i = 0; i < node.size(); i++) {
                look(node.path(i), place + "/" + i, depth + 1);
            }
        } else if (node.isTextual() && TemplateText.isIn(node.textValue())) {
            text(node.textValue(), place);
        }
    }

    private void text(String text, String place) {
        try {
            TemplateText parsed = TemplateText.parse(text);
            placeholders += (int) parsed.parts().stream()
                    .filter(TemplateText.Path.class::isInstance)
                    .count();
            texts.put(text, parsed);
        } catch (TemplateText.Fault fault) {
            error(place, fault.code(), String.valueOf(fault.getMessage()));
        }
    }

    /** HT-3 at configuration: whatever event comes, its body will name its application. */
    private static void check(EnvelopeTemplate template, AckProfile ack, List<FieldError> errors) {
        boolean sendable = ack == AckProfile.STATUS
                || template.render(TemplateValues.least())
                        .flatMap(PayloadCheck::appIds)
                        .isPresent();
        if (!sendable) {
            errors.add(
                    new FieldError(
                            POINTER,
                            "NEEDS_APP_ID",
                            "With ack RECEIPT a body is one event, or has 1 to 50 events, each with appId as a text whatever the event holds."));
        }
    }

    private void error(String place, String code, String detail) {
        errors.add(new FieldError(POINTER + place, code, detail));
    }
}
