package dev.ringfence.transport;

import dev.ringfence.config.Settings;
import dev.ringfence.time.NanoClock;
import dev.ringfence.transport.AccessTokens.Asked;
import dev.ringfence.transport.AccessTokens.Held;
import dev.ringfence.transport.Exchange.Stage;
import dev.ringfence.transport.SendResult.Acknowledged;
import dev.ringfence.transport.SendResult.Failed;
import dev.ringfence.transport.SendResult.Forbidden;
import dev.ringfence.transport.SendResult.NotSent;
import dev.ringfence.transport.SendResult.NotStarted;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.net.InetAddress;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests, each at most once (HT-1): no redirect is followed, nothing is repeated, whatever the receiver does.
 */
@ApplicationScoped
public class HttpTransport {
    private static final int MIN_CONNECTIONS = 64;
    private static final int CORES_FOR_A_SECOND_THREAD = 8;
    private static final long EVICT_MILLIS = 500;

    private final DestinationGuard guard;
    private final NanoClock clock;
    private final Clock wallClock;
    private final Connections connections;
    private final TlsContexts tlsContexts;
    private final AccessTokens tokens;
    private final @Nullable EgressProxy proxy;
    private final ScheduledThreadPoolExecutor timer;
    private final Set<Exchange> open = ConcurrentHashMap.newKeySet();

    /** For the proxy only. */
    @SuppressWarnings("NullAway")
    HttpTransport() {
        guard = null;
        clock = null;
        wallClock = null;
        connections = null;
        tlsContexts = null;
        tokens = null;
        proxy = null;
        timer = null;
    }

    @Inject
    HttpTransport(DestinationGuard guard, NanoClock clock, Clock wallClock, Settings settings) {
        this(
                guard,
                clock,
                wallClock,
                connectionsFor(settings),
                defaultTls(),
                settings.egressProxy().map(url -> EgressProxy.parse(url.text())).orElse(null),
                settings.egressHttp2());
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the timer ends with the transport
    HttpTransport(
            DestinationGuard guard,
            NanoClock clock,
            Clock wallClock,
            int maxConnections,
            SSLContext tls,
            @Nullable EgressProxy proxy,
            boolean http2) {
        this.guard = guard;
        this.clock = clock;
        this.wallClock = wallClock;
        int ioThreads = Runtime.getRuntime().availableProcessors() < CORES_FOR_A_SECOND_THREAD ? 1 : 2;
        this.proxy = proxy;
        tlsContexts = new TlsContexts(tls, clock, wallClock);
        tokens = new AccessTokens(this::ask, clock);
        connections = new Connections(maxConnections, ioThreads, TransportThreads.named("http"), clock, http2);
        timer = new ScheduledThreadPoolExecutor(1, TransportThreads.named("http-timer"));
        timer.setRemoveOnCancelPolicy(true);
        Chores chores =
                new Chores(List.of(connections::closeExpired, tlsContexts::forget, tokens::forget, guard::tend));
        timer.scheduleWithFixedDelay(chores, EVICT_MILLIS, EVICT_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** A connection for everything that this node may have in flight, so that nothing waits for another's (HT-5). */
    static int connectionsFor(Settings settings) {
        return Math.max(MIN_CONNECTIONS, settings.mostInFlight());
    }

    private static SSLContext defaultTls() {
        try {
            return SSLContext.getDefault();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("no TLS", e);
        }
    }

    /**
     * Sends one request and reads its answer.
     *
     * <p>Leave room before {@code sendByNanos}: a receiver that cannot be reached by then gives {@code NotSent}, and only
     * what we ourselves had no time or connection for gives {@code NotStarted}.
     *
     * <p>The future never completes exceptionally, and completes within {@code timeout} of this call, give or take the
     * scheduling of a thread. It completes on a thread of the transport: what depends on it must be short and must not
     * block, or go to another thread. Call without an open transaction.
     */
    public CompletableFuture<SendResult> send(Outbound outbound) {
        List<String> appIds = List.of();
        if (outbound.ack() == AckProfile.RECEIPT) {
            Optional<List<String>> stored = PayloadCheck.appIds(outbound.body());
            if (stored.isEmpty()) {
                return CompletableFuture.completedFuture(new Failed(OutcomeCode.MALFORMED_PAYLOAD, null));
            }
            appIds = stored.get();
        }
        List<String> events = appIds;
        return send(outbound, (status, body) -> AnswerJudge.success(status, body, outbound.ack(), events));
    }

    private CompletableFuture<SendResult> send(Outbound outbound, Answer.Judge judge) {
        try {
            Destination destination = Destination.parse(outbound.url().toString());
            Exchange exchange = new Exchange(outbound, destination, judge, clock);
            return start(exchange);
        } catch (DestinationNotAllowed e) {
            return CompletableFuture.completedFuture(new Forbidden());
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the result is the exchange's own future
    private CompletableFuture<SendResult> start(Exchange exchange) {
        if (exchange.isTooLate()) {
            exchange.abort();
            return exchange.result();
        }
        open.add(exchange);
        exchange.result().whenComplete((result, error) -> open.remove(exchange));
        try {
            exchange.arm(timer);
            authorize(exchange);
        } catch (RejectedExecutionException e) {
            exchange.abort();
        }
        return exchange.result();
    }

    private void authorize(Exchange exchange) {
        OAuthClient client = exchange.outbound().oauth();
        if (client == null) {
            look(exchange);
            return;
        }
        exchange.enter(Stage.AUTHORIZING);
        tokens.of(client, exchange.destination()).thenAccept(held -> {
            if (held instanceof Held.Token known) {
                exchange.carry(known.token());
                look(exchange);
            } else if (held instanceof Held.NotAsked) {
                exchange.endBeforeFirstByte(new NotStarted());
            } else {
                exchange.failBeforeFirstByte();
            }
        });
    }

    private CompletableFuture<Asked> ask(Outbound request) {
        AtomicReference<@Nullable TokenAnswer> answer = new AtomicReference<>();
        return send(request, (status, body) -> {
                    answer.set(TokenAnswer.parse(body).orElse(null));
                    return new Acknowledged(status, null);
                })
                .thenApply(result -> new Asked(Optional.ofNullable(answer.get()), !(result instanceof NotStarted)));
    }

    private void look(Exchange exchange) {
        exchange.enter(Stage.WAITING);
        guard.permitted(exchange.destination(), () -> exchange.enter(Stage.RESOLVING))
                .thenAccept(lookup -> go(exchange, lookup));
    }

    private void go(Exchange exchange, Lookup lookup) {
        if (lookup instanceof Lookup.Found found) {
            route(exchange, found.addresses());
        } else if (lookup instanceof Lookup.Refused) {
            exchange.endBeforeFirstByte(new Forbidden());
        } else if (lookup instanceof Lookup.Unknown) {
            exchange.endBeforeFirstByte(new NotSent(OutcomeCode.NAME_NOT_RESOLVED));
        } else {
            exchange.endBeforeFirstByte(new NotStarted());
        }
    }

    private void route(Exchange exchange, List<InetAddress> addresses) {
        SSLContext tls = tlsContexts.of(exchange.outbound().tls());
        if (tls == null) {
            exchange.endBeforeFirstByte(new NotSent(OutcomeCode.TLS_FAILED));
            return;
        }
        List<Route> routes = addresses.stream()
                .map(address -> Route.to(exchange.destination(), address, tls))
                .toList();
        if (proxy == null) {
            dial(exchange, routes, null);
            return;
        }
        exchange.enter(Stage.WAITING);
        guard.unjudged(proxy.host(), () -> exchange.enter(Stage.TUNNELLING)).thenAccept(lookup -> {
            exchange.enter(Stage.TUNNELLING);
            if (lookup instanceof Lookup.Found found) {
                dial(exchange, routes, new Dialer.Way(proxy, found.addresses().get(0)));
            } else if (lookup instanceof Lookup.Overloaded) {
                exchange.endBeforeFirstByte(new NotStarted());
            } else {
                exchange.failBeforeFirstByte();
            }
        });
    }

    private void dial(Exchange exchange, List<Route> routes, Dialer.@Nullable Way way) {
        if (!exchange.isOver()) {
            new Dialer(exchange, connections, wallClock, routes, way).dial();
        }
    }

    /**
     * Ends a request of a tenant whose work is cancelled, if it is still under way: {@code Cancelled} where no byte of it was sent, else
     * {@code Uncertain} with code REDACTED. The receiver may have taken it all the same.
     *
     * @param sent what {@link #send} returned
     */
    public void cancel(CompletableFuture<SendResult> sent) {
        open.stream().filter(exchange -> exchange.result() == sent).findFirst().ifPresent(Exchange::cancel);
    }

    /** TLS contexts and tokens that are kept. */
    int remembered() {
        return tlsContexts.size() + tokens.size();
    }

    /** Connections in use and kept. */
    int openConnections() {
        return connections.stats().getLeased() + connections.stats().getAvailable();
    }

    /** Connections that take no requests until their receivers show that they read. */
    long doubtedConnections() {
        return connections.lines().doubted();
    }

    /** Ends what is in flight, saying what is known about it, and closes every socket and thread. */
    @PreDestroy
    void close() {
        // The timer first: an exchange that begins from now on finds it closed and ends itself.
        timer.shutdownNow();
        open.forEach(Exchange::abort);
        connections.close();
    }
}
