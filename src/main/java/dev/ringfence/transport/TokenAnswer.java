package dev.ringfence.transport;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.json.BadJson;
import dev.ringfence.json.StrictJson;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What an authorization server answered (RFC 6749, 5.1).
 *
 * @param life from the answer on
 */
record TokenAnswer(String token, Duration life) {
    /** Where the server does not say: short enough to be true of any. */
    private static final Duration UNSAID = Duration.ofMinutes(1);

    private static final long LONGEST_SECONDS = Duration.ofDays(1).toSeconds();
    private static final Pattern SENDABLE = Pattern.compile("[!-~]{1,8000}");

    /** Empty where the body is no such answer, or its token none that a request could carry. */
    static Optional<TokenAnswer> parse(byte[] body) {
        JsonNode root;
        try {
            root = StrictJson.parse(body, body.length);
        } catch (BadJson e) {
            return Optional.empty();
        }
        String token = root.path("access_token").asText("");
        JsonNode life = root.path("expires_in");
        boolean valid = root.path("access_token").isTextual()
                && SENDABLE.matcher(token).matches()
                && root.path("token_type").asText("").equalsIgnoreCase("bearer")
                && (life.isMissingNode() || (life.isIntegralNumber() && life.canConvertToLong() && life.asLong() >= 0));
        if (!valid) {
            return Optional.empty();
        }
        return Optional.of(new TokenAnswer(
                token, life.isMissingNode() ? UNSAID : Duration.ofSeconds(Math.min(life.asLong(), LONGEST_SECONDS))));
    }

    /** Never shows the token. */
    @Override
    public String toString() {
        return "TokenAnswer[" + life + "]";
    }
}
