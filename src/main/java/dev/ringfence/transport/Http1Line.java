package dev.ringfence.transport;

import org.apache.hc.core5.http.config.CharCodingConfig;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.impl.DefaultConnectionReuseStrategy;
import org.apache.hc.core5.http.impl.DefaultContentLengthStrategy;
import org.apache.hc.core5.http.impl.nio.ClientHttp1IOEventHandler;
import org.apache.hc.core5.http.impl.nio.ClientHttp1StreamDuplexer;
import org.apache.hc.core5.http.impl.nio.DefaultHttpRequestWriterFactory;
import org.apache.hc.core5.http.impl.nio.DefaultHttpResponseParserFactory;
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
        super(new ClientHttp1StreamDuplexer(
                session,
                NOTHING_ADDED,
                CONFIG,
                CharCodingConfig.DEFAULT,
                DefaultConnectionReuseStrategy.INSTANCE,
                parser,
                WRITERS.create(),
                DefaultContentLengthStrategy.INSTANCE,
                DefaultContentLengthStrategy.INSTANCE,
                null));
        this.parser = parser;
    }

    static Http1Line on(ProtocolIOSession session) {
        return new Http1Line(session, new WholeHeadParser(PARSERS.create()));
    }

    /** Whether something came that belongs to no answer. Ask on the connection's own thread, before a request is written. */
    boolean hasSurplus() {
        return parser.hasUnread();
    }
}
