package dev.ringfence.harness;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A receiver on a real socket: keeps every request whose body arrived, in order of arrival, and answers as told. It counts a
 * request before it answers, so "what the receiver saw" includes what it never answered.
 */
public final class TestReceiver implements AutoCloseable {
    private static final long HOLD_LIMIT_SECONDS = 120;

    /**
     * One request as it came in.
     *
     * @param sequence 1 for the first that arrived
     * @param headers names in lower case; of a repeated header the first value
     */
    public record Request(int sequence, String method, String path, Map<String, String> headers, byte[] body) {
        /** A header's value; empty where it is absent. */
        public String header(String name) {
            return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "");
        }

        /** The body as text. */
        public String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    /**
     * What the receiver does with a request.
     *
     * @param hold waited for before the answer; the answer goes out at once where it is null
     * @param drop closes the connection instead of answering
     */
    public record Answer(
            int status,
            Map<String, String> headers,
            byte[] body,
            @Nullable CountDownLatch hold,
            boolean drop) {
        /** An answer with a JSON body. */
        public static Answer of(int status, String json) {
            return new Answer(
                    status,
                    Map.of("Content-Type", "application/json"),
                    json.getBytes(StandardCharsets.UTF_8),
                    null,
                    false);
        }

        /** An answer without a body. */
        public static Answer status(int status) {
            return new Answer(status, Map.of(), new byte[0], null, false);
        }

        /** The connection breaks after the request was read. */
        public static Answer dropped() {
            return new Answer(0, Map.of(), new byte[0], null, true);
        }

        /** This answer, sent when the latch has come down. */
        public Answer heldBy(CountDownLatch latch) {
            return new Answer(status, headers, body, latch, drop);
        }

        /** This answer with one more header. */
        public Answer with(String name, String value) {
            Map<String, String> more = new TreeMap<>(headers);
            more.put(name, value);
            return new Answer(status, more, body, hold, drop);
        }
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private final AtomicInteger sequence = new AtomicInteger();
    private volatile Function<Request, Answer> script = request -> Answer.status(200);

    private TestReceiver(HttpServer server) {
        this.server = server;
    }

    /** A receiver on a free port of 127.0.0.1 that answers 200 to everything. */
    public static TestReceiver start() {
        return start(0);
    }

    /** On a port that is known already. */
    public static TestReceiver start(int port) {
        try {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1024);
            TestReceiver receiver = new TestReceiver(server);
            server.createContext("/", receiver::handle);
            server.setExecutor(receiver.threads);
            server.start();
            return receiver;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Decides each answer from the request; called on the request's thread. */
    public TestReceiver answering(Function<Request, Answer> decide) {
        this.script = decide;
        return this;
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            Request request = new Request(
                    sequence.incrementAndGet(),
                    exchange.getRequestMethod(),
                    exchange.getRequestURI().toString(),
                    lowerCase(exchange.getRequestHeaders()),
                    body);
            requests.add(request);
            Answer answer = script.apply(request);
            if (answer.hold() != null && !answer.hold().await(HOLD_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                return;
            }
            if (answer.drop()) {
                return;
            }
            answer.headers().forEach(exchange.getResponseHeaders()::set);
            exchange.sendResponseHeaders(answer.status(), answer.body().length == 0 ? -1 : answer.body().length);
            exchange.getResponseBody().write(answer.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Map<String, String> lowerCase(Headers headers) {
        Map<String, String> result = new TreeMap<>();
        headers.forEach((name, values) -> result.put(name.toLowerCase(Locale.ROOT), values.get(0)));
        return result;
    }

    /** Where to deliver to. */
    public URI url(String path) {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
    }

    /** Everything seen so far, in order of arrival. */
    public List<Request> requests() {
        return List.copyOf(requests);
    }

    /** How many requests came in. */
    public int count() {
        return requests.size();
    }

    /** Stops at once; open exchanges break. */
    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
