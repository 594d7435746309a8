package dev.ringfence.signing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.SecureRandom;
import java.util.Base64;

/**
 * A signing secret as people hand it over, and the key in it (SG-1).
 *
 * <p>Text that begins with {@code whsec_} (some senders write {@code v1,whsec_}) holds its key in base64; any other text
 * is the key itself, in UTF-8. Taking the first kind for the second makes signatures that no standard library accepts.
 */
public final class WebhookSecret {
    private static final String PREFIX = "whsec_";
    private static final String VERSIONED_PREFIX = "v1," + PREFIX;
    private static final int GENERATED_BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final String text;
    private final byte[] key;

    private WebhookSecret(String text, byte[] key) {
        this.text = text;
        this.key = key;
    }

    /**
     * Reads a secret.
     *
     * @throws IllegalArgumentException where there is no key in it; the message may be shown: it never holds the secret
     */
    public static WebhookSecret parse(String text) {
        byte[] key = keyIn(text);
        if (key.length == 0) {
            throw new IllegalArgumentException("the secret is empty");
        }
        return new WebhookSecret(text, key);
    }

    /** A new secret with 32 random bytes, in the {@code whsec_} form. */
    public static WebhookSecret generate() {
        byte[] key = new byte[GENERATED_BYTES];
        RANDOM.nextBytes(key);
        return new WebhookSecret(PREFIX + Base64.getEncoder().encodeToString(key), key);
    }

    private static byte[] keyIn(String text) {
        if (text.isBlank()) {
            return new byte[0];
        }
        String prefix = text.startsWith(VERSIONED_PREFIX) ? VERSIONED_PREFIX : PREFIX;
        if (!text.startsWith(prefix)) {
            return text.getBytes(UTF_8);
        }
        try {
            return Base64.getDecoder().decode(text.substring(prefix.length()));
        } catch (IllegalArgumentException e) {
            // The decoder's message quotes a character of the secret.
            throw new IllegalArgumentException("what follows " + prefix + " is not base64");
        }
    }

    /** The key's bytes; a copy. */
    public byte[] key() {
        return key.clone();
    }

    /** The secret itself, to be shown once or sealed. Never log it. */
    public String reveal() {
        return text;
    }

    @Override
    public String toString() {
        return "WebhookSecret[hidden]";
    }
}
