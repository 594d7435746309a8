package dev.ringfence.transport;

import dev.ringfence.transport.Exchange.Stage;
import java.net.InetAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.nio.command.RequestExecutionCommand;
import org.apache.hc.core5.http.protocol.HttpCoreContext;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.pool.PoolEntry;
import org.apache.hc.core5.reactor.Command;
import org.apache.hc.core5.reactor.IOSession;
import org.apache.hc.core5.reactor.ssl.TransportSecurityLayer;

/**
 * Gets one exchange a connection: a kept one, or a new one to the first of the judged addresses that takes it. All of
 * this happens before the first byte of the request, so going on to the next address, or replacing a kept connection
 * that turned out dead, repeats nothing.
 */
final class Dialer {
    private final Exchange exchange;
    private final Connections connections;
    private final Clock wallClock;
    private final Queue<HttpHost> routes = new ArrayDeque<>();

    Dialer(Exchange exchange, Connections connections, Clock wallClock, List<InetAddress> addresses) {
        this.exchange = exchange;
        this.connections = connections;
        this.wallClock = wallClock;
        Destination to = exchange.destination();
        for (InetAddress address : addresses) {
            routes.add(new HttpHost(to.scheme(), address, to.host(), to.port()));
        }
    }

    void dial() {
        HttpHost route = routes.element();
        exchange.enter(Stage.WAITING);
        exchange.waitsFor(connections.lease(route, on(this::leased, e -> exchange.failBeforeFirstByte())));
    }

    private void leased(PoolEntry<HttpHost, IOSession> entry) {
        if (!exchange.hold(entry)) {
            return;
        }
        IOSession kept = entry.getConnection();
        if (kept != null && kept.isOpen()) {
            run(kept, true);
            return;
        }
        entry.discardConnection(CloseMode.IMMEDIATE);
        connect(entry);
    }

    private void connect(PoolEntry<HttpHost, IOSession> entry) {
        if (exchange.isTooLate()) {
            // Nobody is blamed for a connection that was given no time.
            exchange.failBeforeFirstByte();
            return;
        }
        exchange.enter(Stage.CONNECTING);
        Duration patience = routes.size() > 1 ? exchange.remaining().dividedBy(2) : exchange.remaining();
        // Not cancelled when the exchange ends: a connection that comes about all the same would then be nobody's.
        connections.connect(entry.getRoute(), patience, on(session -> connected(entry, session), e -> nextAddress()));
    }

    private void connected(PoolEntry<HttpHost, IOSession> entry, IOSession session) {
        entry.assignConnection(session);
        if (exchange.isOver()) {
            // The slot may have been given back before it had a connection to close.
            session.close(CloseMode.IMMEDIATE);
        } else if (exchange.destination().secure()) {
            secure(entry.getRoute(), session);
        } else {
            run(session, false);
        }
    }

    private void secure(HttpHost route, IOSession session) {
        exchange.enter(Stage.SECURING);
        FutureCallback<TransportSecurityLayer> callback =
                on(layer -> run(session, false), e -> exchange.failBeforeFirstByte());
        connections.secure(session, route, exchange.remaining(), callback);
    }

    private void run(IOSession session, boolean kept) {
        exchange.enter(Stage.CONNECTED);
        ExchangeHandler handler =
                new ExchangeHandler(exchange, wallClock, () -> hasSurplus(session), () -> unused(kept));
        session.enqueue(new RequestExecutionCommand(handler, HttpCoreContext.create()), Command.Priority.NORMAL);
    }

    private static boolean hasSurplus(IOSession session) {
        return session.getHandler() instanceof Http1Line line && line.hasSurplus();
    }

    /** The connection ended before the request began. */
    private void unused(boolean kept) {
        if (kept) {
            exchange.letGo();
            dial();
        } else {
            exchange.enter(Stage.CONNECTING);
            exchange.failBeforeFirstByte();
        }
    }

    private void nextAddress() {
        if (routes.size() > 1 && !exchange.isOver() && !exchange.isTooLate()) {
            routes.remove();
            exchange.letGo();
            dial();
        } else {
            exchange.failBeforeFirstByte();
        }
    }

    private static <T> FutureCallback<T> on(Consumer<T> completed, Consumer<Exception> failed) {
        return new FutureCallback<>() {
            @Override
            public void completed(T value) {
                completed.accept(value);
            }

            @Override
            public void failed(Exception e) {
                failed.accept(e);
            }

            @Override
            public void cancelled() {
                // Only the exchange cancels, when it is over.
            }
        };
    }
}
