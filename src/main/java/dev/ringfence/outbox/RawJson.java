package dev.ringfence.outbox;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * One JSON value exactly as its producer wrote it. Whoever makes one has parsed it before: it is well-formed UTF-8 JSON.
 */
public final class RawJson {
    /** The empty object. */
    public static final RawJson EMPTY_OBJECT = new RawJson("{}".getBytes(StandardCharsets.US_ASCII));

    private final byte[] bytes;

    private RawJson(byte[] bytes) {
        this.bytes = bytes;
    }

    /** The value that stands in {@code document} from {@code start} up to, not including, {@code end}. */
    public static RawJson slice(byte[] document, int start, int end) {
        return new RawJson(Arrays.copyOfRange(document, start, end));
    }

    /** A value written by us. */
    public static RawJson of(String json) {
        return new RawJson(json.getBytes(StandardCharsets.UTF_8));
    }

    /** Number of bytes. */
    public int length() {
        return bytes.length;
    }

    byte[] bytes() {
        return bytes;
    }

    /** The same text, for the searchable copy. */
    public String text() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RawJson that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "RawJson[" + bytes.length + " bytes]";
    }
}
