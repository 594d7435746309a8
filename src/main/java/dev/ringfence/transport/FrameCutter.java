package dev.ringfence.transport;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Cuts what comes on an HTTP/2 connection into whole frames. The core gets one after the other, so that between two calls it never
 * holds half a frame, and what it cannot cope with does not reach it.
 */
final class FrameCutter {
    /** Of a frame's head. */
    static final int HEAD = 9;

    /** What we permit, and the least that can be permitted. */
    static final int MOST_PAYLOAD = 16_384;

    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int GOAWAY = 7;
    static final int CONTINUATION = 9;

    static final int END_STREAM = 1;
    static final int ACK = 1;
    static final int END_HEADERS = 4;

    private byte[] bytes = new byte[1_024];
    private int from;
    private int to;

    /** A whole frame; {@code payload} is good until the next call. */
    record Frame(int type, int flags, int stream, ByteBuffer payload) {
        int length() {
            return HEAD + payload.capacity();
        }

        boolean has(int flag) {
            return (flags & flag) != 0;
        }

        ByteBuffer whole() {
            return head(payload.capacity(), type, flags, stream)
                    .put(payload.duplicate().rewind())
                    .flip();
        }
    }

    static ByteBuffer head(int length, int type, int flags, int stream) {
        return ByteBuffer.allocate(HEAD + length)
                .putInt(length << 8 | type)
                .put((byte) flags)
                .putInt(stream);
    }

    void add(ByteBuffer part) {
        int left = to - from;
        if (to + part.remaining() > bytes.length) {
            byte[] target = left + part.remaining() > bytes.length
                    ? new byte[Math.max(2 * bytes.length, left + part.remaining())]
                    : bytes;
            System.arraycopy(bytes, from, target, 0, left);
            bytes = target;
            from = 0;
            to = left;
        }
        int count = part.remaining();
        part.get(bytes, to, count);
        to += count;
    }

    /** Whether the next frame is longer than we permit. */
    boolean isTooLong() {
        return to - from >= HEAD && payloadLength() > MOST_PAYLOAD;
    }

    boolean hasNext() {
        return to - from >= HEAD && to - from >= HEAD + payloadLength();
    }

    Frame next() {
        ByteBuffer head = ByteBuffer.wrap(bytes, from, HEAD);
        int length = head.getInt() >>> 8;
        int type = bytes[from + 3] & 0xff;
        int flags = head.get() & 0xff;
        int stream = head.getInt() & 0x7fffffff;
        int begin = from + HEAD;
        from = begin + length;
        return new Frame(type, flags, stream, ByteBuffer.wrap(Arrays.copyOfRange(bytes, begin, from)));
    }

    private int payloadLength() {
        return (bytes[from] & 0xff) << 16 | (bytes[from + 1] & 0xff) << 8 | bytes[from + 2] & 0xff;
    }
}
