package dev.ringfence.signing;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Arrays;

/**
 * The ids of events and messages (SG-2): a prefix and a KSUID whose payload is a hash over kind, ordinal and content.
 *
 * <p>The ordinal keeps equal contents of one second apart. The content keeps different contents apart where a restored
 * database hands out an ordinal again. The ordinal itself cannot be read from the id, so an id tells a receiver nothing
 * about other tenants' traffic.
 */
public final class EventIds {
    private static final int PAYLOAD_BYTES = 16;
    private static final int SHA256_BYTES = 32;

    private EventIds() {}

    /**
     * The id of an integration event: {@code evt_} and a KSUID.
     *
     * @param recordedAt when it was recorded; whole seconds count
     * @param ordinal its number in the outbox
     * @param contentSha256 SHA-256 of what it says, 32 bytes
     */
    public static String event(Instant recordedAt, long ordinal, byte[] contentSha256) {
        return id("evt_", recordedAt, ordinal, contentSha256);
    }

    /** The id of a message that is no integration event: {@code msg_} and a KSUID; else as {@link #event}. */
    public static String message(Instant recordedAt, long ordinal, byte[] contentSha256) {
        return id("msg_", recordedAt, ordinal, contentSha256);
    }

    private static String id(String prefix, Instant recordedAt, long ordinal, byte[] contentSha256) {
        if (contentSha256.length != SHA256_BYTES) {
            throw new IllegalArgumentException("not a SHA-256");
        }
        MessageDigest digest = sha256();
        digest.update(prefix.getBytes(US_ASCII));
        digest.update(ByteBuffer.allocate(Long.BYTES).putLong(ordinal).array());
        byte[] hash = digest.digest(contentSha256);
        return prefix + Ksuid.of(recordedAt.getEpochSecond(), Arrays.copyOf(hash, PAYLOAD_BYTES));
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
