package dev.ringfence.transport;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hc.core5.http2.H2Error;

/** Streams that end without their answer, by frames that the core is given and nobody sent. But for {@link #reset} it belongs to the
 * connection's thread. */
final class Endings {
    private final Queue<Http2Stream> resets = new ConcurrentLinkedQueue<>();
    private final List<Http2Stream> drops = new ArrayList<>();

    /** Gives a frame to the core. */
    interface Core {
        void take(ByteBuffer frame) throws IOException;
    }

    /** A stream that was given up: the receiver is to hear of it. */
    void reset(Http2Stream stream) {
        resets.add(stream);
    }

    /** A stream that was made and not begun: the receiver never hears of it, and its number stays unused. */
    void drop(Http2Stream stream) {
        drops.add(stream);
    }

    boolean haveResets() {
        return !resets.isEmpty();
    }

    boolean haveDrops() {
        return !drops.isEmpty();
    }

    /** The core resets a stream that was given up when a frame comes for it. */
    void writeResets(Core core) throws IOException {
        for (Http2Stream stream = resets.poll(); stream != null; stream = resets.poll()) {
            if (stream.isOpen()) {
                stream.abort();
                core.take(FrameCutter.head(0, FrameCutter.DATA, 0, stream.id()).flip());
            }
        }
    }

    void forgetDrops(Core core) throws IOException {
        for (Http2Stream stream : drops) {
            ByteBuffer end = FrameCutter.head(Integer.BYTES, FrameCutter.RST_STREAM, 0, stream.id());
            core.take(end.putInt(H2Error.CANCEL.getCode()).flip());
        }
        drops.clear();
    }
}
