package dev.ringfence.transport;

import java.nio.channels.ReadableByteChannel;
import org.apache.hc.core5.http.ContentLengthStrategy;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.config.CharCodingConfig;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.impl.BasicHttpTransportMetrics;
import org.apache.hc.core5.http.impl.DefaultConnectionReuseStrategy;
import org.apache.hc.core5.http.impl.DefaultContentLengthStrategy;
import org.apache.hc.core5.http.impl.nio.ClientHttp1IOEventHandler;
import org.apache.hc.core5.http.impl.nio.ClientHttp1StreamDuplexer;
import org.apache.hc.core5.http.impl.nio.DefaultHttpRequestWriterFactory;
import org.apache.hc.core5.http.impl.nio.DefaultHttpResponseParserFactory;
import org.apache.hc.core5.http.nio.ContentDecoder;
import org.apache.hc.core5.http.nio.SessionInputBuffer;
import org.apache.hc.core5.http.protocol.HttpProcessor;
import org.apache.hc.core5.http.protocol.HttpProcessorBuilder;
import org.apache.hc.core5.reactor.ProtocolIOSession;

/** HTTP/1.1 on one connection. Adds no header and follows nothing: what is sent is what we wrote. */
final class Http1Line extends ClientHttp1IOEventHandler {
    private static final int MAX_LINE = 8_192;
    private static final int MAX_HEADERS = 100;
    private static final int BUFFER = 8_192;

    private static final Http1Config CONFIG = Http1Config.custom()
            .setMaxLineLength(MAX_LINE)
            .setMaxHeaderCount(MAX_HEADERS)
            .setBufferSize(BUFFER)
            .build();
    private static final HttpProcessor NOTHING_ADDED =
            HttpProcessorBuilder.create().build();
    private static final DefaultHttpResponseParserFactory PARSERS = new DefaultHttpResponseParserFactory(CONFIG);
    private static final DefaultHttpRequestWriterFactory WRITERS = new DefaultHttpRequestWriterFactory(CONFIG);

    private final WholeHeadParser parser;

    private Http1Line(ProtocolIOSession session, WholeHeadParser parser) {
        super(new Duplexer(session, parser));
        this.parser = parser;
    }

    private static final class Duplexer extends ClientHttp1StreamDuplexer {
        Duplexer(ProtocolIOSession session, WholeHeadParser parser) {
            super(
                    session,
                    NOTHING_ADDED,
                    CONFIG,
                    CharCodingConfig.DEFAULT,
                    DefaultConnectionReuseStrategy.INSTANCE,
                    parser,
                    WRITERS.create(),
                    DefaultContentLengthStrategy.INSTANCE,
                    DefaultContentLengthStrategy.INSTANCE,
                    null);
        }

        @Override
        protected ContentDecoder createContentDecoder(
                long length, ReadableByteChannel channel, SessionInputBuffer buffer, BasicHttpTransportMetrics metrics)
                throws HttpException {
            return length == ContentLengthStrategy.CHUNKED
                    ? new WholeChunks(channel, buffer, CONFIG, metrics)
                    : super.createContentDecoder(length, channel, buffer, metrics);
        }
    }

    static Http1Line on(ProtocolIOSession session) {
        return new Http1Line(session, new WholeHeadParser(PARSERS.create()));
    }

    /** Whether something came that belongs to no answer. Ask on the connection's own thread, before a request is written. */
    boolean hasSurplus() {
        return parser.hasUnread();
    }
}
