package dev.ringfence.outbox;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * What makes an event the same occurrence within one installation of a tenant (RC-4): an integration event's {@code occurrenceKey},
 * else its place in an operation; a milestone's context. Only a hash is kept, so the key table carries no text of the producer.
 */
public final class DedupeKey implements Comparable<DedupeKey> {
    private static final byte OCCURRENCE = 1;
    private static final byte OPERATION = 2;
    private static final byte MILESTONE = 3;

    private final byte[] hash;

    private DedupeKey(byte[] hash) {
        this.hash = hash;
    }

    /** The producer's own key of the occurrence. */
    public static DedupeKey ofOccurrence(String occurrenceKey) {
        return hashed(OCCURRENCE, occurrenceKey, 0);
    }

    /** Event number {@code index} of an operation. */
    public static DedupeKey ofOperation(String clientOperationId, int index) {
        return hashed(OPERATION, clientOperationId, index);
    }

    /** What tells the milestones of one installation apart. */
    public static DedupeKey ofMilestone(String occurrence) {
        return hashed(MILESTONE, occurrence, 0);
    }

    /** A key read back from the database. */
    static DedupeKey stored(byte[] hash) {
        return new DedupeKey(hash);
    }

    private static DedupeKey hashed(byte kind, String text, int index) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        ByteBuffer input = ByteBuffer.allocate(1 + Integer.BYTES + Integer.BYTES + utf8.length);
        input.put(kind).putInt(index).putInt(utf8.length).put(utf8);
        return new DedupeKey(sha256(input.array()));
    }

    /** SHA-256 of some bytes. */
    public static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    byte[] hash() {
        return hash;
    }

    /** Unsigned byte order, which is also PostgreSQL's order of {@code bytea}. */
    @Override
    public int compareTo(DedupeKey other) {
        return Arrays.compareUnsigned(hash, other.hash);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DedupeKey that && Arrays.equals(hash, that.hash);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(hash);
    }

    @Override
    public String toString() {
        return HexFormat.of().formatHex(hash);
    }
}
