package dev.ringfence.signing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Base64;

/**
 * The signature of the {@code webhook-id} scheme (SG-1), as the Standard Webhooks specification defines it: HMAC-SHA-256
 * of {@code id.timestamp.body}.
 */
public final class StandardWebhooks {
    /** What a signature of this scheme begins with. */
    static final String VERSION = "v1,";

    private StandardWebhooks() {}

    /**
     * The value of the {@code webhook-signature} header for one attempt.
     *
     * @param key the key's bytes, see {@link WebhookSecret#key()}; not empty
     * @param id the value of {@code webhook-id}: the same on every attempt
     * @param epochSeconds the value of {@code webhook-timestamp}: that of this attempt
     * @param body the bytes that are sent, untouched
     */
    public static String sign(byte[] key, String id, long epochSeconds, byte[] body) {
        return VERSION + Base64.getEncoder().encodeToString(mac(key, id, Long.toString(epochSeconds), body));
    }

    static byte[] mac(byte[] key, String id, String timestamp, byte[] body) {
        return Hmac.sha256(key, (id + "." + timestamp + ".").getBytes(UTF_8), body);
    }
}
