package dev.ringfence.transport;

import dev.ringfence.transport.Exchange.Stage;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.nio.command.RequestExecutionCommand;
import org.apache.hc.core5.http.protocol.HttpCoreContext;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.pool.PoolEntry;
import org.apache.hc.core5.reactor.Command;
import org.apache.hc.core5.reactor.IOSession;
import org.apache.hc.core5.reactor.ssl.TransportSecurityLayer;
import org.jspecify.annotations.Nullable;

/**
 * Gets one exchange a connection: a kept one, or a new one to the first of the judged addresses that takes it. All of
 * this happens before the first byte of the request, so going on to the next address, or replacing a kept connection
 * that turned out dead, repeats nothing.
 */
final class Dialer {
    private final Exchange exchange;
    private final Connections connections;
    private final Clock wallClock;
    private final @Nullable Way way;
    private final Queue<Route> routes = new ArrayDeque<>();

    /**
     * @param routes one for each judged address
     * @param way through which proxy, null for straight on
     */
    Dialer(Exchange exchange, Connections connections, Clock wallClock, List<Route> routes, @Nullable Way way) {
        this.exchange = exchange;
        this.connections = connections;
        this.wallClock = wallClock;
        this.way = way;
        this.routes.addAll(routes);
    }

    /** A proxy, and where it is. */
    record Way(EgressProxy proxy, InetAddress address) {}

    void dial() {
        Route route = routes.element();
        exchange.enter(Stage.WAITING);
        exchange.waitsFor(connections.lease(route, on(this::leased, e -> exchange.failBeforeFirstByte())));
    }

    private void leased(PoolEntry<Route, IOSession> entry) {
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

    private void connect(PoolEntry<Route, IOSession> entry) {
        if (exchange.isTooLate()) {
            // Nobody is blamed for a connection that was given no time.
            exchange.failBeforeFirstByte();
            return;
        }
        exchange.enter(way == null ? Stage.CONNECTING : Stage.TUNNELLING);
        Duration patience = routes.size() > 1 ? exchange.remaining().dividedBy(2) : exchange.remaining();
        // Not cancelled when the exchange ends: a connection that comes about all the same would then be nobody's.
        connections.connect(
                entry.getRoute(),
                address(entry.getRoute()),
                patience,
                on(session -> connected(entry, session), e -> nextAddress()));
    }

    private void connected(PoolEntry<Route, IOSession> entry, IOSession session) {
        entry.assignConnection(session);
        if (exchange.isOver()) {
            // The slot may have been given back before it had a connection to close.
            session.close(CloseMode.IMMEDIATE);
        } else if (way == null) {
            begin(entry.getRoute(), session);
        } else {
            tunnel(way.proxy(), entry.getRoute(), session);
        }
    }

    private InetSocketAddress address(Route route) {
        return way == null
                ? new InetSocketAddress(route.host().getAddress(), route.host().getPort())
                : new InetSocketAddress(way.address(), way.proxy().port());
    }

    private void tunnel(EgressProxy proxy, Route route, IOSession session) {
        FutureCallback<Integer> callback = on(
                status -> {
                    if (AnswerJudge.isSuccess(status)) {
                        begin(route, session);
                    } else {
                        nextAddress();
                    }
                },
                e -> nextAddress());
        session.enqueue(
                new RequestExecutionCommand(new Tunnel(route.host(), proxy, callback), HttpCoreContext.create()),
                Command.Priority.NORMAL);
    }

    private void begin(Route route, IOSession session) {
        SSLContext tls = route.tls();
        if (tls == null) {
            run(session, false);
        } else {
            secure(route, tls, session);
        }
    }

    private void secure(Route route, SSLContext tls, IOSession session) {
        exchange.enter(Stage.SECURING);
        FutureCallback<TransportSecurityLayer> callback =
                on(layer -> run(session, false), e -> exchange.failBeforeFirstByte());
        connections.secure(session, route.host(), tls, exchange.remaining(), callback);
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
            exchange.enter(way == null ? Stage.CONNECTING : Stage.TUNNELLING);
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
