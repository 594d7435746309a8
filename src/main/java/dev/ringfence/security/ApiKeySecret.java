package dev.ringfence.security;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;

/**
 * The secret of an API key (SC-1): shown once, stored as a hash only. A plain SHA-256 serves, as the secret has 256 random
 * bits and cannot be guessed from its hash.
 */
public final class ApiKeySecret {

    private static final String PREFIX = "rfk_";
    private static final int RANDOM_BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final String text;

    private ApiKeySecret(String text) {
        this.text = text;
    }

    /** A new secret: {@code rfk_} and 43 base64url characters. */
    public static ApiKeySecret mint() {
        byte[] random = new byte[RANDOM_BYTES];
        RANDOM.nextBytes(random);
        return of(PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(random));
    }

    /** The secret that somebody presents. */
    public static ApiKeySecret of(String text) {
        return new ApiKeySecret(text);
    }

    /** SHA-256 of the whole secret: 32 bytes. */
    public byte[] hash() {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is not available", e);
        }
    }

    /** The secret itself, for the one answer that shows it. Never log it. */
    public String reveal() {
        return text;
    }

    @Override
    public String toString() {
        return "ApiKeySecret[hidden]";
    }
}
