package dev.ringfence.recording;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.TreeSet;

/**
 * SHA-256 of a JSON value by meaning: order of keys, white space, escapes and spelling of numbers do not count, so a client
 * that prints its request anew still repeats it. Lengths are part of the input, so two values never run into one. The SQL function
 * {@code ringfence.json_content} writes the same bytes (RC-9).
 */
public final class ContentHash {
    /** As the database orders their bytes; {@link String}'s own order is another one beyond the first plane. */
    private static final Comparator<String> BY_CODE_POINT = (one, other) ->
            Arrays.compareUnsigned(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));

    private final MessageDigest digest;

    private ContentHash() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** The hash of one value, or of several in order. */
    public static byte[] of(JsonNode... values) {
        ContentHash hash = new ContentHash();
        for (JsonNode value : values) {
            hash.add(value);
        }
        return hash.digest.digest();
    }

    private void add(JsonNode value) {
        switch (value.getNodeType()) {
            case OBJECT -> object(value);
            case ARRAY -> array(value);
            case STRING -> tagged('s', value.textValue());
            case NUMBER -> tagged('n', number(value.decimalValue()));
            case BOOLEAN -> digest.update((byte) (value.booleanValue() ? 't' : 'f'));
            default -> digest.update((byte) '0');
        }
    }

    private void object(JsonNode value) {
        TreeSet<String> names = new TreeSet<>(BY_CODE_POINT);
        value.fieldNames().forEachRemaining(names::add);
        count('o', names.size());
        for (String name : names) {
            tagged('k', name);
            add(value.get(name));
        }
    }

    private void array(JsonNode value) {
        count('a', value.size());
        value.forEach(this::add);
    }

    private static String number(BigDecimal value) {
        return value.signum() == 0 ? "0" : value.stripTrailingZeros().toPlainString();
    }

    private void tagged(char tag, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        count(tag, utf8.length);
        digest.update(utf8);
    }

    private void count(char tag, int count) {
        digest.update((byte) tag);
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(count).flip());
    }
}
