package dev.ringfence.security;

import dev.ringfence.config.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encrypts secrets at rest (SC-2): AES-256-GCM under a key derived from {@code ringfence.secrets.key}. What is sealed for
 * one purpose cannot be opened for another, so a row that is moved to another table or owner is of no use there.
 *
 * <p>Form: one version byte, 12 bytes nonce, cipher text, 16 bytes tag.
 */
@ApplicationScoped
public class SecretBox {

    private static final byte VERSION = 1;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final byte[] key;

    /** For the container's proxy. */
    SecretBox() {
        key = new byte[0];
    }

    @Inject
    public SecretBox(Settings settings) {
        key = new Macs(settings).mac("secret box", new byte[] {VERSION});
    }

    /**
     * Encrypts a secret. Sealing the same secret twice gives different bytes.
     *
     * @param purpose what the secret is for and whose it is; needed again to open it
     */
    public byte[] seal(String purpose, byte[] secret) {
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        byte[] cipherText = crypt(Cipher.ENCRYPT_MODE, purpose, nonce, secret);
        return ByteBuffer.allocate(1 + NONCE_BYTES + cipherText.length)
                .put(VERSION)
                .put(nonce)
                .put(cipherText)
                .array();
    }

    /**
     * Decrypts what {@link #seal} made.
     *
     * @throws SecretUnreadable where the bytes were changed, sealed for another purpose, or with another key
     */
    public byte[] open(String purpose, byte[] sealed) {
        if (sealed.length < 1 + NONCE_BYTES + TAG_BITS / 8 || sealed[0] != VERSION) {
            throw new SecretUnreadable();
        }
        ByteBuffer in = ByteBuffer.wrap(sealed, 1, sealed.length - 1);
        byte[] nonce = new byte[NONCE_BYTES];
        in.get(nonce);
        byte[] cipherText = new byte[in.remaining()];
        in.get(cipherText);
        return crypt(Cipher.DECRYPT_MODE, purpose, nonce, cipherText);
    }

    private byte[] crypt(int mode, String purpose, byte[] nonce, byte[] input) {
        try {
            Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
            cipher.init(mode, new SecretKeySpec(key, "AES"), new GCMParameterSpec(TAG_BITS, nonce));
            cipher.updateAAD(("ringfence secret " + VERSION + " " + purpose).getBytes(StandardCharsets.UTF_8));
            return cipher.doFinal(input);
        } catch (GeneralSecurityException e) {
            throw new SecretUnreadable(e);
        }
    }
}
