package dev.ringfence.subscription;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.json.FieldError;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Options that the interface knows and this version does not carry out. They are refused by name: an option that is stored and then
 * ignored would be a promise that nobody keeps.
 */
final class UnavailableOptions {

    private static final String CODE = "NOT_AVAILABLE";

    private static final Map<String, String> FIELDS =
            Map.of("broker", "Brokers are not available yet; use mode PUSH or PULL.");

    private static final Map<String, Set<String>> VALUES = Map.of("mode", Set.of("BROKER"));

    private UnavailableOptions() {}

    static void check(JsonNode request, List<FieldError> errors) {
        FIELDS.forEach((field, sentence) -> {
            if (request.hasNonNull(field)) {
                errors.add(new FieldError("/" + field, CODE, sentence));
            }
        });
        VALUES.forEach((field, values) -> {
            if (values.contains(request.path(field).asText())) {
                errors.add(new FieldError("/" + field, CODE, "This value is not available yet."));
            }
        });
        checkSchemes(request.path("signing"), errors);
    }

    private static void checkSchemes(JsonNode signing, List<FieldError> errors) {
        for (int i = 0; i < signing.size(); i++) {
            if (!signing.path(i).path("scheme").asText().equals(SigningEntry.WEBHOOK_ID)) {
                errors.add(new FieldError(
                        "/signing/" + i + "/scheme", CODE, "This scheme is not available yet; use webhook-id."));
            }
        }
    }
}
