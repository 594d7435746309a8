package dev.ringfence.transport;

import java.io.IOException;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.nio.NHttpMessageParser;
import org.apache.hc.core5.http.nio.SessionInputBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Takes a head only when it is complete. The core's parser, told of the end of the stream, takes what was cut off for a
 * head: {@code HTTP/1.1 200} and then nothing would acknowledge a delivery.
 */
final class WholeHeadParser implements NHttpMessageParser<HttpResponse> {
    private final NHttpMessageParser<HttpResponse> parser;
    private @Nullable SessionInputBuffer input;
    private boolean begun;

    WholeHeadParser(NHttpMessageParser<HttpResponse> parser) {
        this.parser = parser;
    }

    @Override
    public HttpResponse parse(SessionInputBuffer buffer, boolean endOfStream) throws IOException, HttpException {
        input = buffer;
        begun = begun || buffer.hasData();
        HttpResponse head = parser.parse(buffer, false);
        if (head != null) {
            begun = false;
        }
        if (head == null && endOfStream && buffer.hasData()) {
            throw new ConnectionClosedException("cut off within a head");
        }
        return head;
    }

    /** Whether a head has begun, or anything else came, since the last answer ended. */
    boolean hasUnread() {
        return begun || input != null && input.hasData();
    }

    @Override
    public void reset() {
        parser.reset();
    }
}
