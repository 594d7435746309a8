package dev.ringfence.subscription;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.json.FieldError;
import dev.ringfence.signing.WebhookSecret;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * One signing entry of a request with its secret.
 *
 * @param made true where the secret is ours, so that the answer has to show it, once
 */
record SigningRequest(SigningEntry entry, WebhookSecret secret, boolean made) {

    /** Reads the {@code signing} array; none means one Standard Webhooks signature with a secret of our making. */
    static List<SigningRequest> readAll(JsonNode signing, List<FieldError> errors) {
        if (signing.isEmpty()) {
            return List.of(withNewSecret(SigningEntry.DEFAULT_PREFIX));
        }
        List<SigningRequest> entries = new ArrayList<>();
        Set<String> prefixes = new HashSet<>();
        for (int i = 0; i < signing.size(); i++) {
            SigningRequest entry = read(signing.path(i), "/signing/" + i, errors);
            if (!prefixes.add(entry.entry().prefix().toLowerCase(Locale.ROOT))) {
                errors.add(new FieldError("/signing/" + i, "DUPLICATE", "Two entries would write the same headers."));
            }
            entries.add(entry);
        }
        return entries;
    }

    private static SigningRequest read(JsonNode entry, String pointer, List<FieldError> errors) {
        String prefix = entry.path("prefix").asText(SigningEntry.DEFAULT_PREFIX);
        if (!entry.has("secret")) {
            return withNewSecret(prefix);
        }
        try {
            WebhookSecret given = WebhookSecret.parse(entry.path("secret").asText());
            return new SigningRequest(new SigningEntry(SigningEntry.WEBHOOK_ID, prefix), given, false);
        } catch (IllegalArgumentException unusable) {
            errors.add(new FieldError(pointer + "/secret", "BAD_SECRET", String.valueOf(unusable.getMessage())));
            return withNewSecret(prefix);
        }
    }

    private static SigningRequest withNewSecret(String prefix) {
        return new SigningRequest(new SigningEntry(SigningEntry.WEBHOOK_ID, prefix), WebhookSecret.generate(), true);
    }
}
