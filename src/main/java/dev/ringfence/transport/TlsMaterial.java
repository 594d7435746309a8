package dev.ringfence.transport;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Whom a request trusts and as whom it appears, in PEM. Two are equal where their texts are; connections are shared by
 * equal ones only.
 */
public final class TlsMaterial {
    /** The server's own trust, and no certificate of ours. */
    public static final TlsMaterial NONE = new TlsMaterial(null, null, null);

    private final @Nullable String ca;
    private final @Nullable String cert;
    private final @Nullable String key;
    private final String hash;

    /**
     * @param ca the certificates that are trusted instead of the server's own, null for those
     * @param cert our certificate and what leads from it to its authority, in this order
     * @param key its private key, PKCS #8, not encrypted
     */
    public TlsMaterial(@Nullable String ca, @Nullable String cert, @Nullable String key) {
        this.ca = ca;
        this.cert = cert;
        this.key = key;
        hash = hash(ca, cert, key);
    }

    private static String hash(@Nullable String... parts) {
        String text = Stream.of(parts)
                .map(part -> part == null ? "-" : part.length() + ":" + part)
                .collect(Collectors.joining());
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("no SHA-256", e);
        }
    }

    public @Nullable String ca() {
        return ca;
    }

    public @Nullable String cert() {
        return cert;
    }

    public @Nullable String key() {
        return key;
    }

    boolean isNone() {
        return hash.equals(NONE.hash);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TlsMaterial material && material.hash.equals(hash);
    }

    @Override
    public int hashCode() {
        return hash.hashCode();
    }

    /** Never shows a key. */
    @Override
    public String toString() {
        return "TlsMaterial";
    }
}
