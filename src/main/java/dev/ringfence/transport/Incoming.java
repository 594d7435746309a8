package dev.ringfence.transport;

import dev.ringfence.transport.FrameCutter.Frame;
import java.nio.ByteBuffer;
import org.apache.hc.core5.http2.frame.FrameType;

/**
 * What a receiver says on one HTTP/2 connection, frame by frame: how much it may say, and as the core can take it. Belongs to the
 * connection's thread.
 */
final class Incoming {
    /** Beside what each open stream may bring. */
    private static final long ALLOWANCE = ExchangeHandler.MOST_RECEIVED;

    private final FrameCutter cutter = new FrameCutter();
    private final PeerSettings settings = new PeerSettings();
    private long allowance = ALLOWANCE;
    private boolean inHeaders;

    void add(ByteBuffer part) {
        cutter.add(part);
    }

    boolean hasNext() {
        return cutter.hasNext();
    }

    /** The next frame, paid for. */
    Frame next() {
        Frame frame = cutter.next();
        allowance -= frame.length();
        return frame;
    }

    boolean isTooLong() {
        return cutter.isTooLong();
    }

    boolean isTooMuch() {
        return allowance < 0;
    }

    /** One more stream is open: so much more may be said. */
    void mayBring(int streams) {
        allowance = Math.min(allowance, streams * ALLOWANCE) + ALLOWANCE;
    }

    /** To be ignored (RFC 9113, 5.5); the core would fall over it. */
    boolean isForeign(Frame frame) {
        return !inHeaders && FrameType.valueOf(frame.type()) == null;
    }

    /** The frame, as the core is to see it. */
    ByteBuffer adapted(Frame frame) {
        if (frame.type() != FrameCutter.SETTINGS || frame.has(FrameCutter.ACK) || frame.stream() != 0) {
            return frame.whole();
        }
        ByteBuffer all = settings.merged(frame.payload());
        return FrameCutter.head(all.remaining(), FrameCutter.SETTINGS, frame.flags(), 0)
                .put(all)
                .flip();
    }

    /** The core has got it. */
    void passed(Frame frame) {
        if (frame.type() == FrameCutter.HEADERS || frame.type() == FrameCutter.CONTINUATION) {
            inHeaders = !frame.has(FrameCutter.END_HEADERS);
        }
    }

    /** Within a block of headers the core takes any other frame for a fault. */
    boolean isInHeaders() {
        return inHeaders;
    }

    /** How many requests at once the receiver permits. */
    long streams() {
        return settings.streams();
    }
}
