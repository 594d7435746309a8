package dev.ringfence.transport;

import org.apache.hc.core5.http.config.CharCodingConfig;
import org.apache.hc.core5.http.protocol.HttpProcessor;
import org.apache.hc.core5.http.protocol.HttpProcessorBuilder;
import org.apache.hc.core5.http2.config.H2Config;
import org.apache.hc.core5.http2.frame.DefaultFrameFactory;
import org.apache.hc.core5.http2.impl.nio.ClientH2StreamMultiplexer;
import org.apache.hc.core5.reactor.ProtocolIOSession;

/** The core's HTTP/2, as we want it: no push, small frames and windows, short heads, no header that we did not write. */
final class Http2Core {
    private static final H2Config CONFIG = H2Config.custom()
            .setPushEnabled(false)
            .setHeaderTableSize(4_096)
            .setInitialWindowSize(16_384)
            .setMaxFrameSize(FrameCutter.MOST_PAYLOAD)
            .setMaxHeaderListSize(32_768)
            .setMaxContinuations(8)
            .build();
    private static final HttpProcessor NOTHING_ADDED =
            HttpProcessorBuilder.create().build();

    private Http2Core() {}

    static ClientH2StreamMultiplexer on(ProtocolIOSession session, FrameLog output) {
        return new ClientH2StreamMultiplexer(
                session, DefaultFrameFactory.INSTANCE, NOTHING_ADDED, null, CONFIG, CharCodingConfig.DEFAULT, output);
    }
}
