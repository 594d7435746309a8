package dev.ringfence.transport;

import dev.ringfence.transport.Exchange.Stage;
import dev.ringfence.transport.Http2Lines.Place;
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
import org.apache.hc.core5.reactor.ProtocolIOSession;
import org.apache.hc.core5.reactor.ssl.TransportSecurityLayer;
import org.jspecify.annotations.Nullable;

/**
 * Gets one exchange a connection: a kept one, or a new one to the first of the judged addresses that takes it. All of
 * this happens before the first byte of the request, so going on to the next address, or replacing a kept connection
 * that turned out dead, repeats nothing.
 */
final class Dialer {
    private static final int MOST_TURNS = 8;

    private final Exchange exchange;
    private final Connections connections;
    private final Clock wallClock;
    private final @Nullable Way way;
    private final Queue<Route> routes = new ArrayDeque<>();
    private final Http2Lines lines;
    private volatile @Nullable Opening opening;
    private volatile boolean mayWait = true;
    private int turns;

    /**
     * @param routes one for each judged address
     * @param way through which proxy, null for straight on
     */
    Dialer(Exchange exchange, Connections connections, Clock wallClock, List<Route> routes, @Nullable Way way) {
        this.exchange = exchange;
        this.connections = connections;
        this.wallClock = wallClock;
        this.way = way;
        this.lines = connections.lines();
        this.routes.addAll(routes);
    }

    /** A proxy, and where it is. */
    record Way(EgressProxy proxy, InetAddress address) {}

    void dial() {
        Route route = routes.element();
        if (++turns > MOST_TURNS) {
            // Each connection in HTTP/2 was full, or gone, before it could be used.
            lines.speaksHttp1(route);
        }
        Place place = lines.place(route, new Opening.Waiter(exchange, this::again), mayWait);
        if (place instanceof Place.Seated seated) {
            exchange.enter(Stage.CONNECTED);
            seated.line().carry(exchange, wallClock, () -> unused(true));
        } else if (place instanceof Place.Makes makes) {
            opening = makes.opening();
            Opening mine = makes.opening();
            exchange.result().whenComplete((result, error) -> forget(mine));
            lease(route);
        } else if (place instanceof Place.Alone) {
            lease(route);
        }
    }

    private void lease(Route route) {
        if (mayWait) {
            enter(Stage.WAITING);
        }
        // Else it has waited for a connection that did not come about, and that stays the reason if there is no time
        // for another.
        exchange.waitsFor(connections.lease(route, on(this::leased, e -> exchange.failBeforeFirstByte())));
    }

    private void enter(Stage stage) {
        exchange.enter(stage);
        Opening mine = opening;
        if (mine != null) {
            mine.enter(stage);
        }
    }

    /** The connection that was waited for is there, or will not be. */
    private void again(boolean came) {
        mayWait = came;
        if (exchange.isOver()) {
            return;
        }
        if (exchange.isTooLate()) {
            exchange.failBeforeFirstByte();
        } else {
            dial();
        }
    }

    /** Nobody need wait for this exchange's connection, unless it is others' by now. */
    private void forget(Opening mine) {
        if (opening == mine) {
            opening = null;
            lines.end(mine);
        }
    }

    private void endOpening() {
        Opening mine = opening;
        if (mine != null) {
            forget(mine);
        }
    }

    private void leased(PoolEntry<Route, IOSession> entry) {
        if (!exchange.hold(new OwnConnection(connections, entry))) {
            return;
        }
        IOSession kept = entry.getConnection();
        if (kept != null && kept.isOpen()) {
            endOpening();
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
        enter(way == null ? Stage.CONNECTING : Stage.TUNNELLING);
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
            begin(entry, session);
        } else {
            tunnel(way.proxy(), entry, session);
        }
    }

    private InetSocketAddress address(Route route) {
        return way == null
                ? new InetSocketAddress(route.host().getAddress(), route.host().getPort())
                : new InetSocketAddress(way.address(), way.proxy().port());
    }

    private void tunnel(EgressProxy proxy, PoolEntry<Route, IOSession> entry, IOSession session) {
        FutureCallback<Integer> callback = on(
                status -> {
                    if (AnswerJudge.isSuccess(status)) {
                        begin(entry, session);
                    } else {
                        nextAddress();
                    }
                },
                e -> nextAddress());
        session.enqueue(
                new RequestExecutionCommand(
                        new Tunnel(entry.getRoute().host(), proxy, callback), HttpCoreContext.create()),
                Command.Priority.NORMAL);
    }

    private void begin(PoolEntry<Route, IOSession> entry, IOSession session) {
        SSLContext tls = entry.getRoute().tls();
        if (tls == null) {
            run(session, false);
        } else {
            secure(entry, tls, session);
        }
    }

    private void secure(PoolEntry<Route, IOSession> entry, SSLContext tls, IOSession session) {
        enter(Stage.SECURING);
        FutureCallback<TransportSecurityLayer> callback =
                on(layer -> secured(entry, layer), e -> insecure(entry.getRoute()));
        connections.secure(session, entry.getRoute().host(), tls, exchange.remaining(), opening != null, callback);
    }

    private void insecure(Route route) {
        if (opening == null) {
            // Perhaps it speaks nothing but HTTP/2: the next attempt may offer it.
            lines.mayOffer(route);
        }
        exchange.failBeforeFirstByte();
    }

    private void secured(PoolEntry<Route, IOSession> entry, TransportSecurityLayer layer) {
        ProtocolIOSession session = (ProtocolIOSession) layer;
        Opening mine = opening;
        if (mine != null && Connections.HTTP_2.equals(layer.getTlsDetails().getApplicationProtocol())) {
            share(entry, session, mine);
            return;
        }
        if (mine != null) {
            lines.speaksHttp1(entry.getRoute());
            forget(mine);
        }
        run(session, false);
    }

    /** The connection becomes everybody's; this exchange waits for it as the others do. */
    private void share(PoolEntry<Route, IOSession> entry, ProtocolIOSession session, Opening mine) {
        enter(Stage.SETTLING);
        if (exchange.handOver()) {
            opening = null;
            mine.addMaker(new Opening.Waiter(exchange, this::again));
            connections.share(
                    new OwnConnection(connections, entry),
                    session,
                    mine,
                    exchange.remaining().dividedBy(2));
        }
    }

    private void run(IOSession session, boolean kept) {
        exchange.enter(Stage.CONNECTED);
        ExchangeHandler handler =
                new ExchangeHandler(exchange, wallClock, new Http1Carrier(session), () -> unused(kept));
        session.enqueue(new RequestExecutionCommand(handler, HttpCoreContext.create()), Command.Priority.NORMAL);
    }

    /** The connection ended before the request began. */
    private void unused(boolean kept) {
        if (kept) {
            exchange.letGo();
            dial();
        } else {
            enter(way == null ? Stage.CONNECTING : Stage.TUNNELLING);
            exchange.failBeforeFirstByte();
        }
    }

    private void nextAddress() {
        if (routes.size() > 1 && !exchange.isOver() && !exchange.isTooLate()) {
            routes.remove();
            exchange.letGo();
            endOpening();
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
