package dev.ringfence.signing;

import java.nio.ByteBuffer;

/**
 * The text form of K-sortable ids: 4 bytes of seconds and 16 bytes of payload as 27 characters of base 62. Sorts by time
 * in any byte-wise collation.
 */
public final class Ksuid {
    /** Length of every KSUID, in characters. */
    public static final int LENGTH = 27;

    private static final int PAYLOAD_BYTES = 16;
    private static final long EPOCH_SECONDS = 1_400_000_000L;
    private static final long MAX_OFFSET = 0xFFFF_FFFFL;
    private static final String ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private static final int BASE = ALPHABET.length();

    private Ksuid() {}

    /**
     * Writes a KSUID.
     *
     * @param epochSeconds seconds since 1970, from 2014-05-13T16:53:20Z up to 2150-06-19T23:21:35Z
     * @param payload 16 bytes
     * @throws IllegalArgumentException outside these
     */
    public static String of(long epochSeconds, byte[] payload) {
        long offset = epochSeconds - EPOCH_SECONDS;
        if (offset < 0 || offset > MAX_OFFSET) {
            throw new IllegalArgumentException("no KSUID for the second " + epochSeconds);
        }
        if (payload.length != PAYLOAD_BYTES) {
            throw new IllegalArgumentException("a KSUID's payload has " + PAYLOAD_BYTES + " bytes");
        }
        ByteBuffer words = ByteBuffer.wrap(payload);
        return base62(new long[] {
            offset, word(words), word(words), word(words), word(words),
        });
    }

    private static long word(ByteBuffer words) {
        return Integer.toUnsignedLong(words.getInt());
    }

    /** Long division of a number in words of 32 bits, highest first, which it uses up. */
    private static String base62(long[] number) {
        char[] text = new char[LENGTH];
        for (int i = LENGTH - 1; i >= 0; i--) {
            long rest = 0;
            for (int word = 0; word < number.length; word++) {
                long part = rest << Integer.SIZE | number[word];
                number[word] = part / BASE;
                rest = part % BASE;
            }
            text[i] = ALPHABET.charAt((int) rest);
        }
        return new String(text);
    }
}
