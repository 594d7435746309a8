package dev.ringfence.transport;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.List;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.impl.BasicHttpTransportMetrics;
import org.apache.hc.core5.http.impl.nio.ChunkDecoder;
import org.apache.hc.core5.http.nio.ContentDecoder;
import org.apache.hc.core5.http.nio.SessionInputBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Takes a chunked body only when it is complete. The core's decoder, told of the end of the stream, takes a line that was cut off for
 * a whole one: a body that ends within the size of its next chunk, {@code 0} of {@code 0f}, would be complete.
 */
final class WholeChunks implements ContentDecoder {
    private final ChunkDecoder decoder;
    private boolean ended;

    WholeChunks(
            ReadableByteChannel channel,
            SessionInputBuffer buffer,
            Http1Config config,
            BasicHttpTransportMetrics metrics) {
        decoder = new ChunkDecoder(withoutEnd(channel), buffer, config, metrics);
    }

    private ReadableByteChannel withoutEnd(ReadableByteChannel channel) {
        return new ReadableByteChannel() {
            @Override
            public int read(ByteBuffer target) throws IOException {
                int bytes = channel.read(target);
                ended = ended || bytes < 0;
                return Math.max(0, bytes);
            }

            @Override
            public boolean isOpen() {
                return channel.isOpen();
            }

            @Override
            public void close() throws IOException {
                channel.close();
            }
        };
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        int bytes = decoder.read(target);
        if (bytes <= 0 && ended && !decoder.isCompleted()) {
            throw new ConnectionClosedException("cut off within a chunked body");
        }
        return bytes;
    }

    @Override
    public boolean isCompleted() {
        return decoder.isCompleted();
    }

    @Override
    public @Nullable List<? extends Header> getTrailers() {
        return decoder.getTrailers();
    }
}
