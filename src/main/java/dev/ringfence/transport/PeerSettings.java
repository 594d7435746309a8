package dev.ringfence.transport;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;

/**
 * The receiver's settings. The core forgets with each frame of settings what the frames before had said, takes no number above
 * {@code 2^31-1}, and would keep as large a table of our headers as the receiver likes: it gets all that is known each time, within
 * its bounds.
 */
final class PeerSettings {
    private static final int LENGTH = 6;
    private static final int HEADER_TABLE_SIZE = 1;
    private static final int MAX_CONCURRENT_STREAMS = 3;
    private static final int LAST_KNOWN = 6;
    private static final int MAX_HEADER_LIST_SIZE = 6;
    private static final long MOST_TABLE = 4_096;

    private final Map<Integer, Long> known = new TreeMap<>();

    /** A payload with all that is known, or the given one where it is no such payload. */
    ByteBuffer merged(ByteBuffer payload) {
        if (payload.remaining() % LENGTH != 0) {
            return payload;
        }
        while (payload.hasRemaining()) {
            int name = payload.getShort() & 0xffff;
            long value = payload.getInt() & 0xffffffffL;
            if (name <= LAST_KNOWN) {
                known.put(name, value);
            }
        }
        ByteBuffer all = ByteBuffer.allocate(known.size() * LENGTH);
        known.forEach((name, value) -> all.putShort(name.shortValue()).putInt((int) bounded(name, value)));
        return all.flip();
    }

    private static long bounded(int name, long value) {
        return switch (name) {
            case HEADER_TABLE_SIZE -> Math.min(value, MOST_TABLE);
            case MAX_CONCURRENT_STREAMS, MAX_HEADER_LIST_SIZE -> Math.max(1, Math.min(value, Integer.MAX_VALUE));
            default -> value;
        };
    }

    /** How many requests at once the receiver permits. */
    long streams() {
        return known.getOrDefault(MAX_CONCURRENT_STREAMS, Long.MAX_VALUE);
    }
}
