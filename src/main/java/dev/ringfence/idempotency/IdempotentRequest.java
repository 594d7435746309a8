package dev.ringfence.idempotency;

import dev.ringfence.api.ApiProblem;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * What makes two requests the same one: caller, path and key; and what must then be equal: the body.
 *
 * @param path as sent; a long one by its hash, as an index entry has a size limit
 */
record IdempotentRequest(UUID caller, String path, String key, byte[] bodySha256) {

    private static final Pattern SYNTAX = Pattern.compile("[!-~]{1,255}");
    private static final int LONGEST_PATH = 512;

    /** @throws ApiProblem 422 where the key is not 1 to 255 visible ASCII characters */
    static IdempotentRequest of(UUID caller, String path, String key, byte[] body) {
        if (!SYNTAX.matcher(key).matches()) {
            throw ApiProblem.invalid(
                    "", "BAD_FORMAT", "the header Idempotency-Key has 1 to 255 characters of visible ASCII");
        }
        String kept = path.length() <= LONGEST_PATH
                ? path
                : "sha256:" + HexFormat.of().formatHex(sha256(path.getBytes(StandardCharsets.UTF_8)));
        return new IdempotentRequest(caller, kept, key, sha256(body));
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is not available", e);
        }
    }
}
