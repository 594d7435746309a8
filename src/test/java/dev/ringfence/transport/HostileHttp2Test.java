package dev.ringfence.transport;

import static dev.ringfence.transport.Http2Server.CONTINUATION;
import static dev.ringfence.transport.Http2Server.DATA;
import static dev.ringfence.transport.Http2Server.END_HEADERS;
import static dev.ringfence.transport.Http2Server.END_STREAM;
import static dev.ringfence.transport.Http2Server.GOAWAY;
import static dev.ringfence.transport.Http2Server.HEADERS;
import static dev.ringfence.transport.Http2Server.PADDED;
import static dev.ringfence.transport.Http2Server.PING;
import static dev.ringfence.transport.Http2Server.PRIORITY;
import static dev.ringfence.transport.Http2Server.PUSH_PROMISE;
import static dev.ringfence.transport.Http2Server.RST_STREAM;
import static dev.ringfence.transport.Http2Server.SETTINGS;
import static dev.ringfence.transport.Http2Server.WINDOW_UPDATE;
import static dev.ringfence.transport.Http2Server.bytes;
import static dev.ringfence.transport.Http2Server.fields;
import static dev.ringfence.transport.Http2Server.joined;
import static dev.ringfence.transport.Http2Server.number;
import static dev.ringfence.transport.Http2Server.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ringfence.transport.Http2Server.Behaviour;
import dev.ringfence.transport.SendResult.Acknowledged;
import dev.ringfence.transport.SendResult.Uncertain;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Receivers that do in HTTP/2 what no receiver should: each ends in the outcome that is true, and leaves nothing behind. */
@Timeout(300)
class HostileHttp2Test {
    /** Long enough for a busy machine to come as far as the answer, a handshake and a head, short enough to wait for. */
    private static final Duration DEADLINE = Duration.ofSeconds(8);

    /** For what ends by itself. */
    private static final Duration AMPLE = Duration.ofSeconds(50);

    private static final Uncertain TIMEOUT = new Uncertain(OutcomeCode.TIMEOUT, null, null);
    private static final Uncertain TIMEOUT_200 = new Uncertain(OutcomeCode.TIMEOUT, 200, null);
    private static final Uncertain BROKEN = new Uncertain(OutcomeCode.CONNECTION_BROKEN, null, null);
    private static final Uncertain BROKEN_200 = new Uncertain(OutcomeCode.CONNECTION_BROKEN, 200, null);
    private static final Uncertain INVALID = new Uncertain(OutcomeCode.INVALID_ACK, null, null);
    private static final Uncertain INVALID_200 = new Uncertain(OutcomeCode.INVALID_ACK, 200, null);
    private static final Uncertain TOO_LARGE = new Uncertain(OutcomeCode.ACK_TOO_LARGE, null, null);
    private static final Uncertain TOO_LARGE_200 = new Uncertain(OutcomeCode.ACK_TOO_LARGE, 200, null);

    @TempDir
    static Path directory;

    private static SSLContext tls;

    private TransportFixture fixture;

    private record Trick(String name, Behaviour behaviour, List<SendResult> outcomes) {}

    private static Trick trick(String name, Behaviour behaviour, SendResult... outcomes) {
        return new Trick(name, behaviour, List.of(outcomes));
    }

    private static Behaviour saying(IntFunction<byte[]> frames) {
        return (request, line) -> line.say(frames.apply(request.stream()));
    }

    private static Behaviour closing(IntFunction<byte[]> frames) {
        return (request, line) -> {
            line.say(frames.apply(request.stream()));
            line.close();
        };
    }

    private static Behaviour dripping(IntFunction<byte[]> start, IntFunction<byte[]> drop) {
        return (request, line) -> {
            line.say(start.apply(request.stream()));
            line.drip(drop.apply(request.stream()));
        };
    }

    private static Behaviour flooding(IntFunction<byte[]> start, IntFunction<byte[]> drop) {
        return (request, line) -> {
            line.say(start.apply(request.stream()));
            line.flood(drop.apply(request.stream()));
        };
    }

    private static byte[] none(int stream) {
        return new byte[0];
    }

    private static byte[] ok(int stream) {
        return head(stream, "200");
    }

    private static byte[] head(int stream, String status, String... more) {
        return bytes(HEADERS, END_HEADERS, stream, joined(fields(":status", status), fields(more)));
    }

    private static byte[] last(int stream, String body) {
        return bytes(DATA, END_STREAM, stream, body.getBytes());
    }

    private static byte[] hint(int stream) {
        return head(stream, "103");
    }

    private static List<Trick> slow() {
        return List.of(
                trick("silence", saying(HostileHttp2Test::none), TIMEOUT),
                trick("a head, and silence", saying(HostileHttp2Test::ok), TIMEOUT_200),
                trick(
                        "half a frame",
                        saying(id -> joined(ok(id), new byte[] {0, 0, 50, DATA, 0, 0, 0, 0, (byte) id, 1})),
                        TIMEOUT_200),
                trick(
                        "half a block of headers",
                        saying(id -> bytes(HEADERS, 0, id, fields(":status", "200"))),
                        TIMEOUT),
                trick("hints, one after the other", dripping(HostileHttp2Test::none, HostileHttp2Test::hint), TIMEOUT),
                trick(
                        "a body, byte by byte",
                        dripping(HostileHttp2Test::ok, id -> bytes(DATA, 0, id, (byte) 'x')),
                        TIMEOUT_200),
                trick("empty data", dripping(HostileHttp2Test::ok, id -> bytes(DATA, 0, id)), TIMEOUT_200),
                trick("pings", dripping(HostileHttp2Test::none, id -> bytes(PING, 0, 0, new byte[8])), TIMEOUT),
                trick("no more streams", saying(id -> bytes(SETTINGS, 0, 0, settings(3, 0))), TIMEOUT),
                trick("a goodbye, and silence", saying(id -> bytes(GOAWAY, 0, 0, number(id, 0))), TIMEOUT));
    }

    private static List<Trick> floods() {
        byte[] wide = "x".repeat(8_000).getBytes();
        return List.of(
                trick("hints", flooding(HostileHttp2Test::none, HostileHttp2Test::hint), TOO_LARGE),
                trick("pings", flooding(HostileHttp2Test::none, id -> bytes(PING, 0, 0, new byte[8])), TOO_LARGE),
                trick("settings", flooding(HostileHttp2Test::none, id -> bytes(SETTINGS, 0, 0)), TOO_LARGE),
                trick(
                        "settings that change",
                        flooding(
                                HostileHttp2Test::none,
                                id -> joined(
                                        bytes(SETTINGS, 0, 0, settings(1, 0, 4, 1, 5, 16_384)),
                                        bytes(SETTINGS, 0, 0, settings(1, -1, 4, 65_535, 5, 60_000)))),
                        TOO_LARGE),
                trick(
                        "settings confirmed",
                        flooding(HostileHttp2Test::none, id -> bytes(SETTINGS, Http2Server.ACK, 0)),
                        TOO_LARGE),
                trick(
                        "windows",
                        flooding(HostileHttp2Test::none, id -> bytes(WINDOW_UPDATE, 0, 0, number(1))),
                        TOO_LARGE),
                trick(
                        "windows of the stream",
                        flooding(HostileHttp2Test::none, id -> bytes(WINDOW_UPDATE, 0, id, number(1))),
                        TOO_LARGE),
                trick(
                        "priorities",
                        flooding(HostileHttp2Test::none, id -> bytes(PRIORITY, 0, id, new byte[5])),
                        TOO_LARGE),
                trick(
                        "frames that nobody knows",
                        flooding(HostileHttp2Test::none, id -> bytes(0xfa, 0, id, new byte[100])),
                        TOO_LARGE),
                trick("empty data", flooding(HostileHttp2Test::ok, id -> bytes(DATA, 0, id)), TOO_LARGE_200),
                trick(
                        "padding",
                        flooding(
                                HostileHttp2Test::ok,
                                id -> bytes(DATA, PADDED, id, joined(new byte[] {(byte) 255}, new byte[255]))),
                        TOO_LARGE_200),
                trick("a body", flooding(HostileHttp2Test::ok, id -> bytes(DATA, 0, id, wide)), TOO_LARGE_200),
                trick(
                        "continuations",
                        flooding(
                                id -> bytes(HEADERS, 0, id, fields(":status", "200")),
                                id -> bytes(CONTINUATION, 0, id, fields("x", "y"))),
                        INVALID),
                trick(
                        "empty continuations",
                        flooding(
                                id -> bytes(HEADERS, 0, id, fields(":status", "200")),
                                id -> bytes(CONTINUATION, 0, id)),
                        TOO_LARGE),
                trick(
                        "a list of headers that unfolds",
                        saying(id -> joined(
                                // One field of 4000 bytes goes into the table, and is then named a thousand times.
                                bytes(
                                        HEADERS,
                                        END_HEADERS,
                                        id,
                                        joined(
                                                fields(":status", "200"),
                                                indexed("x", new String(wide, 0, 3_900)),
                                                same(1_000))))),
                        INVALID),
                trick(
                        "a table that is too large",
                        saying(id -> bytes(
                                HEADERS,
                                END_HEADERS | END_STREAM,
                                id,
                                joined(new byte[] {0x3f, -1, -1, 3}, fields(":status", "200")))),
                        INVALID),
                trick(
                        "many headers",
                        saying(id -> bytes(
                                HEADERS, END_HEADERS | END_STREAM, id, joined(fields(":status", "200"), many(2_000)))),
                        INVALID),
                trick(
                        "trailers that are wide",
                        saying(id -> joined(ok(id), bytes(HEADERS, END_HEADERS | END_STREAM, id, many(2_000)))),
                        INVALID_200),
                trick(
                        "resets of what it does not have",
                        flooding(id -> bytes(RST_STREAM, 0, id, number(8)), id -> bytes(RST_STREAM, 0, id, number(8))),
                        BROKEN));
    }

    private static byte[] many(int count) {
        byte[] one = fields("a", "b");
        byte[] all = new byte[count * one.length];
        for (int i = 0; i < all.length; i++) {
            all[i] = one[i % one.length];
        }
        return all;
    }

    /** A literal that goes into the table. */
    private static byte[] indexed(String name, String value) {
        byte[] literal = Http2Server.field(name, value);
        literal[0] = 0x40;
        return literal;
    }

    /** The newest of the table, again and again. */
    private static byte[] same(int times) {
        byte[] all = new byte[times];
        java.util.Arrays.fill(all, (byte) (0x80 | 62));
        return all;
    }

    private static List<Trick> misframed() {
        return List.of(
                trick("an end", closing(HostileHttp2Test::none), BROKEN),
                trick("an end after the head", closing(HostileHttp2Test::ok), BROKEN_200, BROKEN),
                trick(
                        "an end within a frame",
                        closing(id -> joined(ok(id), new byte[] {0, 0, 50, DATA, END_STREAM, 0, 0, 0, (byte) id, 1})),
                        BROKEN_200,
                        BROKEN),
                trick(
                        "less than announced",
                        saying(id -> joined(head(id, "200", "content-length", "9"), last(id, "fine"))),
                        INVALID_200),
                trick(
                        "more than announced",
                        saying(id -> joined(head(id, "200", "content-length", "3"), last(id, "fine"))),
                        INVALID_200),
                trick(
                        "two lengths",
                        saying(id -> joined(
                                head(id, "200", "content-length", "4", "content-length", "5"), last(id, "fine"))),
                        INVALID_200),
                trick(
                        "a signed length",
                        saying(id -> joined(head(id, "200", "content-length", "+4"), last(id, "fine"))),
                        INVALID_200),
                trick(
                        "a length and no body",
                        saying(id -> bytes(
                                HEADERS,
                                END_HEADERS | END_STREAM,
                                id,
                                fields(":status", "200", "content-length", "4"))),
                        INVALID_200),
                trick(
                        "what only HTTP/1.1 can say",
                        saying(id -> joined(head(id, "200", "transfer-encoding", "chunked"), last(id, "fine"))),
                        INVALID_200),
                trick(
                        "another head that does not end the answer",
                        saying(id -> joined(ok(id), bytes(DATA, 0, id, (byte) 'x'), ok(id))),
                        INVALID_200),
                trick(
                        "a status that is none",
                        saying(id -> bytes(HEADERS, END_HEADERS | END_STREAM, id, fields(":status", "fine"))),
                        INVALID),
                trick(
                        "a status with a sign",
                        saying(id -> bytes(HEADERS, END_HEADERS | END_STREAM, id, fields(":status", "+200"))),
                        INVALID,
                        INVALID_200),
                trick(
                        "two statuses",
                        saying(id -> bytes(
                                HEADERS, END_HEADERS | END_STREAM, id, fields(":status", "200", ":status", "200"))),
                        INVALID),
                trick(
                        "no status",
                        saying(id -> bytes(HEADERS, END_HEADERS | END_STREAM, id, fields("x", "y"))),
                        INVALID),
                trick(
                        "a status after a field",
                        saying(id -> bytes(HEADERS, END_HEADERS | END_STREAM, id, fields("x", "y", ":status", "200"))),
                        INVALID),
                trick(
                        "a status in the trailers",
                        saying(id ->
                                joined(ok(id), bytes(HEADERS, END_HEADERS | END_STREAM, id, fields(":status", "200")))),
                        INVALID_200),
                trick(
                        "capitals",
                        saying(id ->
                                bytes(HEADERS, END_HEADERS | END_STREAM, id, fields(":status", "200", "Server", "x"))),
                        INVALID),
                trick(
                        "a field with a line break",
                        saying(id ->
                                bytes(HEADERS, END_HEADERS | END_STREAM, id, fields(":status", "200", "x", "a\r\nb"))),
                        INVALID),
                trick("data before the head", saying(id -> last(id, "fine")), INVALID),
                trick(
                        "a hint that ends the answer",
                        saying(id -> bytes(HEADERS, END_HEADERS | END_STREAM, id, fields(":status", "103"))),
                        BROKEN),
                trick(
                        "a switch of protocols",
                        saying(id -> bytes(HEADERS, END_HEADERS | END_STREAM, id, fields(":status", "101"))),
                        BROKEN),
                trick(
                        "a push",
                        saying(id -> bytes(PUSH_PROMISE, END_HEADERS, id, joined(number(2), fields(":method", "GET")))),
                        INVALID),
                trick("a stream of its own", saying(id -> ok(2)), INVALID),
                trick("a stream that is not there", saying(id -> ok(id + 2)), INVALID),
                trick("data for no stream", saying(id -> last(0, "fine")), INVALID),
                trick("a frame that is too long", saying(id -> new byte[] {1, 0, 0, DATA, 0, 0, 0, 0, 1}), INVALID),
                trick("a window beyond all", saying(id -> bytes(WINDOW_UPDATE, 0, 0, number(-1 >>> 1))), INVALID),
                trick("no window", saying(id -> bytes(WINDOW_UPDATE, 0, 0, number(0))), INVALID),
                trick("settings that are none", saying(id -> bytes(SETTINGS, 0, 0, new byte[5])), INVALID),
                trick("settings for a stream", saying(id -> bytes(SETTINGS, 0, id)), INVALID),
                trick("a window of nothing", saying(id -> bytes(SETTINGS, 0, 0, settings(4, 0))), INVALID),
                trick("a wrong size of frames", saying(id -> bytes(SETTINGS, 0, 0, settings(5, 1))), INVALID),
                trick("a short ping", saying(id -> bytes(PING, 0, 0, new byte[7])), INVALID),
                trick("a short goodbye", saying(id -> bytes(GOAWAY, 0, 0, new byte[7])), INVALID),
                trick("a short reset", saying(id -> bytes(RST_STREAM, 0, id, new byte[3])), INVALID),
                trick(
                        "a head with half a priority",
                        saying(id -> bytes(HEADERS, END_HEADERS | 0x20, id, new byte[3])),
                        INVALID),
                trick(
                        "more padding than frame",
                        saying(id -> joined(ok(id), bytes(DATA, PADDED | END_STREAM, id, (byte) 9, (byte) 'x'))),
                        INVALID_200),
                trick("a continuation of nothing", saying(id -> bytes(CONTINUATION, END_HEADERS, id)), INVALID),
                trick(
                        "something within a block of headers",
                        saying(id ->
                                joined(bytes(HEADERS, 0, id, fields(":status", "200")), bytes(0xfa, 0, id), ok(id))),
                        INVALID),
                trick(
                        "headers that cannot be read",
                        saying(id -> bytes(HEADERS, END_HEADERS, id, (byte) 0x7f)),
                        INVALID),
                trick("a reset", saying(id -> bytes(RST_STREAM, 0, id, number(2))), BROKEN),
                trick("a reset without a reason", saying(id -> bytes(RST_STREAM, 0, id, number(0))), BROKEN),
                trick(
                        "a reset within the answer",
                        saying(id -> joined(ok(id), bytes(RST_STREAM, 0, id, number(0)))),
                        BROKEN_200),
                trick("a goodbye in anger", saying(id -> bytes(GOAWAY, 0, 0, number(id, 11))), BROKEN),
                trick("a goodbye before it looked", saying(id -> bytes(GOAWAY, 0, 0, number(0, 0))), BROKEN),
                trick(
                        "a refusal, and then nonsense",
                        saying(id -> joined(head(id, "404"), bytes(PING, 0, 0, new byte[7]))),
                        new Uncertain(OutcomeCode.INVALID_ACK, 404, null)));
    }

    /** What looks odd and is right. */
    private static List<Trick> sound() {
        Acknowledged acknowledged = new Acknowledged(200, null);
        return List.of(
                trick(
                        "trailers",
                        saying(id -> joined(
                                ok(id),
                                bytes(DATA, 0, id, (byte) 'x'),
                                bytes(HEADERS, END_HEADERS | END_STREAM, id, fields("x", "y")))),
                        acknowledged),
                trick(
                        "a length that is true",
                        saying(id -> joined(hint(id), head(id, "200", "content-length", "4"), last(id, "fine"))),
                        acknowledged),
                trick(
                        "padding",
                        saying(id -> joined(
                                ok(id),
                                bytes(DATA, PADDED | END_STREAM, id, (byte) 2, (byte) 'x', (byte) 0, (byte) 0))),
                        acknowledged),
                trick(
                        "a head in pieces",
                        saying(id -> joined(
                                bytes(HEADERS, END_STREAM, id),
                                bytes(CONTINUATION, 0, id, fields(":status", "200")),
                                bytes(CONTINUATION, END_HEADERS, id))),
                        acknowledged),
                trick(
                        "an answer, and then nonsense",
                        saying(id -> joined(ok(id), last(id, "fine"), bytes(PING, 0, 0, new byte[7]))),
                        acknowledged));
    }

    private static List<Trick> quick() {
        return Stream.of(floods(), misframed(), sound()).flatMap(List::stream).toList();
    }

    @BeforeAll
    static void certificate() throws Exception {
        tls = TestCertificates.selfSigned(directory, "dns:right.test");
    }

    @BeforeEach
    void start() {
        fixture = new TransportFixture(host -> new InetAddress[] {InetAddress.getLoopbackAddress()}, tls, 1_024);
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    /** And not a thread, not a socket, not a byte of what was sent and received is left. Twice the deadline of the slow ones. */
    @Test
    @Tag("HT-1")
    @Tag("AT-4")
    void eachEndsInTheOutcomeThatIsTrueAndLeavesNothingBehind() throws Exception {
        play();
        Leftovers before = Leftovers.now();

        play();

        before.awaitNoMore();
    }

    /** One connection's thread serves all: whoever talks without end must not keep it. */
    @Test
    @Tag("HT-5")
    void whoTalksWithoutEndKeepsNobodyWaiting() throws Exception {
        List<Http2Server> hostile = new ArrayList<>();
        try (Http2Server server = new Http2Server(tls, (request, line) -> line.answer(request.stream(), 200))) {
            List<CompletableFuture<SendResult>> floods = new ArrayList<>();
            for (Trick trick : floods()) {
                Http2Server one = new Http2Server(tls, trick.behaviour());
                hostile.add(one);
                floods.add(fixture.transport.send(
                        fixture.outbound(one.url("/"), Duration.ofMinutes(4), AckProfile.STATUS)));
            }
            for (int i = 0; i < 20; i++) {
                assertThat(fixture.post(server.url("/" + i))).isEqualTo(new Acknowledged(200, null));
            }
            for (CompletableFuture<SendResult> flood : floods) {
                assertThat(flood.get(60, TimeUnit.SECONDS)).isInstanceOf(Uncertain.class);
            }
        } finally {
            for (Http2Server one : hostile) {
                one.close();
            }
        }
    }

    /** Plays all tricks, and sees every connection closed. The slow ones begin, so that no handshakes of others use up their time. */
    private void play() throws Exception {
        // A port may have been another trick's before, which made its receiver one for HTTP/1.1 for a while.
        fixture.clock.advance(Duration.ofMinutes(11));
        Map<Trick, Http2Server> servers = new LinkedHashMap<>();
        Map<Trick, CompletableFuture<SendResult>> played = new LinkedHashMap<>();
        try {
            begin(slow(), DEADLINE, servers, played);
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> servers.values().stream().allMatch(server -> server.heads() == 1)
                            || played.values().stream().anyMatch(CompletableFuture::isDone));
            begin(quick(), AMPLE, servers, played);
            SoftAssertions softly = new SoftAssertions();
            for (Trick trick : played.keySet()) {
                softly.assertThat(played.get(trick).get(60, TimeUnit.SECONDS))
                        .as(trick.name())
                        .isIn(trick.outcomes());
            }
            softly.assertAll();
            for (Trick trick : played.keySet()) {
                Http2Server server = servers.get(trick);
                await().atMost(Duration.ofSeconds(60))
                        .untilAsserted(() -> assertThat(server.openConnections())
                                .as(trick.name())
                                .isZero());
                assertThat(server.heads()).isEqualTo(1);
                assertThat(server.faults()).isEmpty();
            }
            await().atMost(Duration.ofSeconds(60)).until(() -> fixture.transport.openConnections() == 0);
        } finally {
            for (Http2Server server : servers.values()) {
                server.close();
            }
        }
    }

    private void begin(
            List<Trick> tricks,
            Duration deadline,
            Map<Trick, Http2Server> servers,
            Map<Trick, CompletableFuture<SendResult>> played)
            throws IOException {
        for (Trick trick : tricks) {
            Http2Server server = new Http2Server(tls, trick.behaviour());
            servers.put(trick, server);
            played.put(trick, fixture.transport.send(large(server.url("/"), deadline)));
        }
    }

    /** A body of its own, large enough that keeping it would show. */
    private Outbound large(URI url, Duration timeout) {
        return new Outbound(
                url, Map.of(), new byte[50_000], timeout, fixture.clock.nanos() + timeout.toNanos(), AckProfile.STATUS);
    }
}
