package dev.ringfence.transport;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpConnection;
import org.apache.hc.core5.http2.frame.RawFrame;
import org.apache.hc.core5.http2.impl.nio.H2StreamListener;

/** Sees what the core reads and writes on one connection: which stream it made last, where in all that is sent a request's head ends, and
 * the fields of answers. */
final class FrameLog implements H2StreamListener {
    private final Map<Integer, Http2Stream> watched = new HashMap<>();
    private long written;
    private int newest;

    /** The stream that was made last. */
    int newest() {
        return newest;
    }

    void watch(int id, Http2Stream stream) {
        watched.put(id, stream);
    }

    void forget(int id) {
        watched.remove(id);
    }

    @Override
    public void onFrameOutput(HttpConnection connection, int streamId, RawFrame frame) {
        written += FrameCutter.HEAD + frame.getLength();
        Http2Stream stream = frame.getType() == FrameCutter.HEADERS ? watched.get(streamId) : null;
        if (stream != null) {
            stream.headEndsAt(written);
        }
    }

    /** The core says the size of a new stream's window before it asks for the request. */
    @Override
    public void onInputFlowControl(HttpConnection connection, int streamId, int delta, int actualSize) {
        newest = Math.max(newest, streamId);
    }

    @Override
    public void onHeaderInput(HttpConnection connection, int streamId, List<? extends Header> headers) {
        Http2Stream stream = watched.get(streamId);
        if (stream != null) {
            stream.fieldsCome(headers);
        }
    }

    @Override
    public void onHeaderOutput(HttpConnection connection, int streamId, List<? extends Header> headers) {
        Http2Stream stream = watched.get(streamId);
        if (stream != null) {
            stream.headGiven();
        }
    }

    @Override
    public void onFrameInput(HttpConnection connection, int streamId, RawFrame frame) {}

    @Override
    public void onOutputFlowControl(HttpConnection connection, int streamId, int delta, int actualSize) {}
}
