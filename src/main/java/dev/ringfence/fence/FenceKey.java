package dev.ringfence.fence;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

/**
 * The advisory lock key of one (app, tenant): the first 64 bits of SHA-256 over a length-prefixed encoding (FN-1). Two tenants
 * that share a key only wait for each other; what they may do is decided by their rows.
 */
public record FenceKey(long value) implements Comparable<FenceKey> {

    private static final int UUID_BYTES = 16;

    public static FenceKey of(UUID app, String tenant) {
        return ofHash(hash(app, tenant));
    }

    /** The key that belongs to a {@code tenant_hash}. */
    public static FenceKey ofHash(byte[] tenantHash) {
        return new FenceKey(ByteBuffer.wrap(tenantHash).getLong());
    }

    /**
     * SHA-256 over, for the app's 16 bytes and for the tenant's UTF-8 bytes: the length as four bytes, highest first, then the
     * bytes. In SQL: {@code sha256(int4send(16) || uuid_send(app) || int4send(octet_length(t)) || t)} with
     * {@code t = convert_to(tenant, 'UTF8')}.
     */
    public static byte[] hash(UUID app, String tenant) {
        byte[] name = tenant.getBytes(StandardCharsets.UTF_8);
        ByteBuffer encoded = ByteBuffer.allocate(Integer.BYTES + UUID_BYTES + Integer.BYTES + name.length)
                .putInt(UUID_BYTES)
                .putLong(app.getMostSignificantBits())
                .putLong(app.getLeastSignificantBits())
                .putInt(name.length)
                .put(name);
        try {
            return MessageDigest.getInstance("SHA-256").digest(encoded.array());
        } catch (NoSuchAlgorithmException everyJavaHasIt) {
            throw new IllegalStateException(everyJavaHasIt);
        }
    }

    @Override
    public int compareTo(FenceKey other) {
        return Long.compare(value, other.value);
    }
}
