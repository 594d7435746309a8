package dev.ringfence.signing;

import dev.ringfence.signing.Verification.Invalid;
import dev.ringfence.signing.Verification.Reason;
import dev.ringfence.signing.Verification.Valid;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Checks requests that carry the {@code webhook-id} scheme (SG-3). A receiver may use it as it is. */
public final class WebhookVerifier {
    private static final int MAX_TIMESTAMP_DIGITS = 12;
    private static final int MAX_SIGNATURES = 16;

    private WebhookVerifier() {}

    /**
     * Checks one request. The time that a comparison takes tells nothing of the signature.
     *
     * @param headers the request's headers; names in any case
     * @param body the bytes as they came, before any parsing
     * @param secrets those valid now: two while a rotation's grace lasts
     * @param tolerance how far the timestamp may be from {@code now}, either way; 5 minutes is usual
     * @param now the receiver's time
     */
    public static Verification verify(
            Map<String, String> headers, byte[] body, List<WebhookSecret> secrets, Duration tolerance, Instant now) {
        String id = header(headers, "webhook-id");
        String timestamp = header(headers, "webhook-timestamp");
        String signatures = header(headers, "webhook-signature");
        if (id == null || timestamp == null || signatures == null) {
            return new Invalid(Reason.HEADER_MISSING);
        }
        if (!isSeconds(timestamp)) {
            return new Invalid(Reason.TIMESTAMP_MALFORMED);
        }
        Instant signedAt = Instant.ofEpochSecond(Long.parseLong(timestamp));
        if (signedAt.isBefore(now.minus(tolerance))) {
            return new Invalid(Reason.TOO_OLD);
        }
        if (signedAt.isAfter(now.plus(tolerance))) {
            return new Invalid(Reason.TOO_NEW);
        }
        return matches(id, timestamp, signatures, body, secrets)
                ? new Valid(id, signedAt)
                : new Invalid(Reason.SIGNATURE_MISMATCH);
    }

    private static boolean matches(
            String id, String timestamp, String signatures, byte[] body, List<WebhookSecret> secrets) {
        String[] given = signatures.split(" ", MAX_SIGNATURES + 1);
        boolean match = false;
        for (WebhookSecret secret : secrets) {
            byte[] expected = StandardWebhooks.mac(secret.key(), id, timestamp, body);
            for (int i = 0; i < Math.min(given.length, MAX_SIGNATURES); i++) {
                byte[] candidate = decode(given[i]);
                // No early end: which key or which signature matched stays untold.
                match |= candidate != null && MessageDigest.isEqual(expected, candidate);
            }
        }
        return match;
    }

    private static byte @Nullable [] decode(String signature) {
        if (!signature.startsWith(StandardWebhooks.VERSION)) {
            return null;
        }
        try {
            return Base64.getDecoder().decode(signature.substring(StandardWebhooks.VERSION.length()));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static boolean isSeconds(String text) {
        return text.length() <= MAX_TIMESTAMP_DIGITS && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static @Nullable String header(Map<String, String> headers, String name) {
        for (Map.Entry<String, String> header : headers.entrySet()) {
            if (header.getKey().equalsIgnoreCase(name)) {
                return header.getValue().isEmpty() ? null : header.getValue();
            }
        }
        return null;
    }
}
