package dev.ringfence.security;

import dev.ringfence.config.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Message authentication codes that prove that this installation issued something (EV-4). Each purpose has a key of its
 * own, derived from {@code ringfence.secrets.key}, so that a code made for one purpose proves nothing for another.
 */
@ApplicationScoped
public class Macs {

    private static final String ALGORITHM = "HmacSHA256";

    private final byte[] rootKey;

    /** For the container's proxy. */
    Macs() {
        rootKey = new byte[0];
    }

    @Inject
    public Macs(Settings settings) {
        rootKey = settings.secretsKeyBytes();
    }

    /** HMAC-SHA-256 of the message under the key of that purpose: 32 bytes. */
    public byte[] mac(String purpose, byte[] message) {
        byte[] key = hmac(rootKey, ("ringfence mac " + purpose).getBytes(StandardCharsets.UTF_8));
        return hmac(key, message);
    }

    /** Compares two codes in constant time. */
    public static boolean same(byte[] left, byte[] right) {
        return MessageDigest.isEqual(left, right);
    }

    private static byte[] hmac(byte[] key, byte[] message) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac.doFinal(message);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(ALGORITHM + " is not available", e);
        }
    }
}
