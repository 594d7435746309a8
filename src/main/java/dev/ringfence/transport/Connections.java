package dev.ringfence.transport;

import dev.ringfence.time.NanoClock;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.net.NamedEndpoint;
import org.apache.hc.core5.pool.PoolEntry;
import org.apache.hc.core5.pool.PoolReusePolicy;
import org.apache.hc.core5.pool.PoolStats;
import org.apache.hc.core5.pool.StrictConnPool;
import org.apache.hc.core5.reactor.DefaultConnectingIOReactor;
import org.apache.hc.core5.reactor.IOReactorConfig;
import org.apache.hc.core5.reactor.IOSession;
import org.apache.hc.core5.reactor.ProtocolIOSession;
import org.apache.hc.core5.reactor.ssl.SSLBufferMode;
import org.apache.hc.core5.reactor.ssl.TransportSecurityLayer;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;

/**
 * The sockets: HTTP/1.1 and HTTP/2 on Apache's non-blocking core, kept alive for a short while, and used again for the same
 * {@link Route} only.
 */
final class Connections implements AutoCloseable {
    /** Shorter than what servers usually grant (5 s and more): theirs should not end first. */
    static final Duration KEEP_ALIVE = Duration.ofSeconds(2);

    /** Its name in TLS. */
    static final String HTTP_2 = "h2";

    private static final String HTTP_1 = "http/1.1";

    /** How exactly the core keeps to a connect timeout. */
    private static final TimeValue SELECT_INTERVAL = TimeValue.ofMilliseconds(100);

    /** So that no head waits long, handed over and not on its way, behind what a receiver does not read. Bytes. */
    private static final int SEND_BUFFER = 65_536;

    private static final TimeValue SHUTDOWN = TimeValue.ofSeconds(2);

    private final StrictConnPool<Route, IOSession> pool;
    private final DefaultConnectingIOReactor reactor;
    private final NanoClock clock;
    private final Http2Lines lines;
    private final int maxConnections;

    /**
     * @param http2 whether it is offered to receivers
     */
    Connections(int maxConnections, int ioThreads, ThreadFactory threads, NanoClock clock, boolean http2) {
        this.maxConnections = maxConnections;
        this.clock = clock;
        lines = new Http2Lines(clock, http2);
        pool = new StrictConnPool<>(
                maxConnections, maxConnections, TimeValue.NEG_ONE_MILLISECOND, PoolReusePolicy.LIFO, null);
        reactor = new DefaultConnectingIOReactor(
                (session, attachment) -> Http1Line.on(session),
                IOReactorConfig.custom()
                        .setIoThreadCount(ioThreads)
                        .setTcpNoDelay(true)
                        .setSndBufSize(SEND_BUFFER)
                        .setSelectInterval(SELECT_INTERVAL)
                        .build(),
                threads,
                null,
                null,
                null,
                null);
        reactor.start();
    }

    /** Waits for a free slot; the entry then has a kept connection or none yet. */
    Future<?> lease(Route route, FutureCallback<PoolEntry<Route, IOSession>> callback) {
        if (pool.getTotalStats().getLeased() >= maxConnections) {
            lines.closeAnIdleOne();
        }
        return pool.lease(route, null, Timeout.DISABLED, callback);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the callback says it all
    void connect(Route route, InetSocketAddress address, Duration timeout, FutureCallback<IOSession> callback) {
        reactor.connect(route.host(), address, null, Timeout.of(timeout), null, callback);
    }

    Http2Lines lines() {
        return lines;
    }

    /** Leaves a connection whose receiver chose HTTP/2 to all who go the same way. */
    void share(OwnConnection place, ProtocolIOSession session, Opening opening, Duration patience) {
        lines.begin(new Http2Line(session, place, lines, clock, patience), opening);
    }

    /**
     * TLS on a new connection. The certificate must be for the host's name, whatever address was dialled.
     *
     * @param http2 whether it is offered; a receiver that cannot be spoken to in it is told so
     */
    void secure(
            IOSession session,
            HttpHost host,
            SSLContext tls,
            Duration timeout,
            boolean http2,
            FutureCallback<TransportSecurityLayer> callback) {
        ((TransportSecurityLayer) session)
                .startTls(
                        tls,
                        host,
                        SSLBufferMode.STATIC,
                        (endpoint, engine) -> prepare(endpoint, engine, http2),
                        null,
                        Timeout.of(timeout),
                        callback);
    }

    private void prepare(NamedEndpoint endpoint, SSLEngine engine, boolean http2) {
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        if (IpText.parse(endpoint.getHostName()) == null) {
            parameters.setServerNames(List.of(new SNIHostName(endpoint.getHostName())));
        }
        if (lines.areEnabled()) {
            parameters.setApplicationProtocols(http2 ? new String[] {HTTP_2, HTTP_1} : new String[] {HTTP_1});
        }
        engine.setSSLParameters(parameters);
    }

    /** Gives the slot back; closes the connection at once unless it may be used again. */
    void release(PoolEntry<Route, IOSession> entry, boolean reusable) {
        IOSession session = entry.getConnection();
        boolean keep = reusable && session != null && session.isOpen();
        if (keep) {
            entry.updateExpiry(TimeValue.of(KEEP_ALIVE));
        } else {
            entry.discardConnection(CloseMode.IMMEDIATE);
        }
        pool.release(entry, keep);
    }

    /** Closes what was kept for too long. */
    void closeExpired() {
        lines.tidy();
        pool.closeExpired();
    }

    PoolStats stats() {
        return pool.getTotalStats();
    }

    @Override
    public void close() {
        pool.close(CloseMode.IMMEDIATE);
        reactor.close(CloseMode.IMMEDIATE);
        try {
            reactor.awaitShutdown(SHUTDOWN);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
