package dev.ringfence.subscription;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.json.FieldError;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the receiver wants to see in {@code Authorization} (HT-1). A secret: kept sealed, and part of no answer.
 *
 * @param text visible ASCII, 1 to {@value #MAX_LENGTH} characters
 */
public record BearerToken(String text) {

    static final String TYPE = "bearer";
    static final int MAX_LENGTH = 4096;

    private static final Pattern VISIBLE = Pattern.compile("[!-~]{1," + MAX_LENGTH + "}");

    /** Reads the member {@code auth}; null where it is absent, of another type, or its token cannot be sent, which is then an error. */
    static @Nullable BearerToken read(JsonNode auth, List<FieldError> errors) {
        if (!auth.path("type").asText().equals(TYPE)) {
            return null;
        }
        String text = auth.path("token").asText();
        if (!VISIBLE.matcher(text).matches()) {
            errors.add(new FieldError(
                    "/auth/token", "BAD_FORMAT", "A token is 1 to " + MAX_LENGTH + " characters of visible ASCII."));
            return null;
        }
        return new BearerToken(text);
    }

    /** The value of the request header {@code Authorization}. */
    public String authorization() {
        return "Bearer " + text;
    }

    /** Never shows the token. */
    @Override
    public String toString() {
        return "BearerToken";
    }
}
