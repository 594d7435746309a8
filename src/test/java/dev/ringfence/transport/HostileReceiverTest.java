package dev.ringfence.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ringfence.transport.HostileServer.Behaviour;
import dev.ringfence.transport.HostileServer.Line;
import dev.ringfence.transport.SendResult.Acknowledged;
import dev.ringfence.transport.SendResult.Failed;
import dev.ringfence.transport.SendResult.NotSent;
import dev.ringfence.transport.SendResult.Uncertain;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import javax.net.ssl.SSLContext;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Receivers that do what no receiver should: each ends in the outcome that is true, and leaves nothing behind. */
@Timeout(300)
class HostileReceiverTest {
    /** Long enough for a busy machine to come as far as the answer, short enough to wait for. */
    private static final Duration DEADLINE = Duration.ofSeconds(4);

    private static final String OK = "HTTP/1.1 200 OK\r\n";
    private static final String CHUNKED = OK + "Transfer-Encoding: chunked\r\n\r\n";
    private static final String WHOLE = OK + "Content-Length: 4\r\n\r\nfine";

    private static final Uncertain TIMEOUT = new Uncertain(OutcomeCode.TIMEOUT, null, null);
    private static final Uncertain TIMEOUT_200 = new Uncertain(OutcomeCode.TIMEOUT, 200, null);
    private static final Uncertain BROKEN = new Uncertain(OutcomeCode.CONNECTION_BROKEN, null, null);
    private static final Uncertain BROKEN_200 = new Uncertain(OutcomeCode.CONNECTION_BROKEN, 200, null);
    private static final Uncertain INVALID = new Uncertain(OutcomeCode.INVALID_ACK, null, null);
    private static final Uncertain INVALID_200 = new Uncertain(OutcomeCode.INVALID_ACK, 200, null);
    private static final Uncertain TOO_LARGE = new Uncertain(OutcomeCode.ACK_TOO_LARGE, null, null);
    private static final Uncertain TOO_LARGE_200 = new Uncertain(OutcomeCode.ACK_TOO_LARGE, 200, null);
    private static final Acknowledged ACKNOWLEDGED = new Acknowledged(200, null);

    private TransportFixture fixture;

    /** What a receiver does after a request, and what that means. */
    private record Trick(String name, Receiver receiver, List<SendResult> outcomes) {}

    /** Opens the server that plays a trick. */
    private interface Receiver {
        HostileServer open() throws IOException;

        default URI url(HostileServer server, String path) {
            return server.url(path);
        }
    }

    /** One that is asked over TLS and may do with a ClientHello what it likes. */
    private record HalfTls(String answer, Ending ending) implements Receiver {
        @Override
        public HostileServer open() throws IOException {
            return HostileServer.meeting(line -> {
                line.hearRecord();
                line.say(answer);
                ending.end(line);
            });
        }

        @Override
        public URI url(HostileServer server, String path) {
            return URI.create("https://127.0.0.1:" + server.port() + path);
        }
    }

    private static Trick trick(String name, Behaviour behaviour, SendResult... outcomes) {
        return new Trick(name, () -> new HostileServer(behaviour), List.of(outcomes));
    }

    private static Behaviour saying(String text) {
        return (request, line) -> {
            line.say(text);
            line.hang();
        };
    }

    private static Behaviour closing(String text) {
        return (request, line) -> {
            line.say(text);
            line.close();
        };
    }

    private static Behaviour dripping(String start, String drop) {
        return (request, line) -> {
            line.say(start);
            line.drip(drop);
        };
    }

    private static Behaviour flooding(String start, String drop) {
        return (request, line) -> {
            line.say(start);
            line.flood(drop.repeat(1_000));
        };
    }

    private static List<Trick> slow() {
        return List.of(
                trick("silence", (request, line) -> line.hang(), TIMEOUT),
                trick("a head, byte by byte", dripping(OK + "X-Slow: ", "x"), TIMEOUT),
                trick("hints, one after the other", dripping("", "HTTP/1.1 103 Early Hints\r\n\r\n"), TIMEOUT),
                trick("a body, byte by byte", dripping(OK + "Content-Length: 8000\r\n\r\n", "x"), TIMEOUT_200),
                trick("a body until the end", dripping(OK + "\r\n", "x"), TIMEOUT_200),
                trick("chunks, one after the other", dripping(CHUNKED, "1\r\nx\r\n"), TIMEOUT_200),
                trick("one endless chunk", dripping(CHUNKED + "7fffffff\r\n", "x"), TIMEOUT_200),
                trick("an endless size of a chunk", dripping(CHUNKED, "0"), TIMEOUT_200),
                trick("a trailer, byte by byte", dripping(CHUNKED + "0\r\nX-Slow: ", "x"), TIMEOUT_200),
                trick("less than announced, and silence", saying(OK + "Content-Length: 9\r\n\r\nfine"), TIMEOUT_200),
                trick("no last chunk, and silence", saying(CHUNKED + "4\r\nfine\r\n"), TIMEOUT_200));
    }

    private static List<Trick> floods() {
        return List.of(
                trick("a status line without end", flooding("HTTP/1.1 200 ", "O"), INVALID),
                trick("blank lines", flooding("", "\r\n"), INVALID),
                trick("a header without end", flooding(OK + "X: ", "x"), INVALID),
                trick("headers without end", flooding(OK, "X: x\r\n"), INVALID),
                trick("a folded header without end", flooding(OK + "X: x\r\n", " x\r\n"), INVALID),
                trick("hints without end", flooding("", "HTTP/1.1 103 Early Hints\r\n\r\n"), TOO_LARGE),
                trick(
                        "wide hints",
                        flooding("", "HTTP/1.1 103 H\r\nLink: " + "x".repeat(8_000) + "\r\n\r\n"),
                        TOO_LARGE),
                trick("a body without end", flooding(OK + "\r\n", "x"), TOO_LARGE_200),
                trick("a gigabyte", flooding(OK + "Content-Length: 1000000000\r\n\r\n", "x"), TOO_LARGE_200),
                trick("chunks without end", flooding(CHUNKED, "1\r\nx\r\n"), TOO_LARGE_200),
                trick("one chunk without end", flooding(CHUNKED + "7fffffff\r\n", "x"), TOO_LARGE_200),
                trick("wide chunks", flooding(CHUNKED, "1;x=" + "y".repeat(8_000) + "\r\nx\r\n"), TOO_LARGE_200),
                trick("a size of a chunk without end", flooding(CHUNKED, "0"), INVALID_200, TOO_LARGE_200),
                trick("trailers without end", flooding(CHUNKED + "0\r\n", "X: x\r\n"), INVALID_200, TOO_LARGE_200));
    }

    private static List<Trick> misframed() {
        Uncertain invalid204 = new Uncertain(OutcomeCode.INVALID_ACK, 204, null);
        return List.of(
                trick("less than announced", closing(OK + "Content-Length: 9\r\n\r\nfine"), BROKEN_200),
                trick("no last chunk", closing(CHUNKED + "4\r\nfine\r\n"), BROKEN_200),
                trick("half a chunk", closing(CHUNKED + "9\r\nfine"), BROKEN_200),
                trick("a trailer that is cut off", closing(CHUNKED + "4\r\nfine\r\n0\r\nX: y"), BROKEN_200),
                trick("half a last chunk", closing(CHUNKED + "4\r\nfine\r\n0"), BROKEN_200, INVALID_200),
                trick("no line after the last chunk", closing(CHUNKED + "4\r\nfine\r\n0\r\n"), BROKEN_200),
                trick("a chunk that is longer than it says", closing(CHUNKED + "2\r\nfine\r\n0\r\n\r\n"), INVALID_200),
                trick("a size that is none", closing(CHUNKED + "four\r\nfine\r\n0\r\n\r\n"), INVALID_200),
                trick("a negative size", closing(CHUNKED + "-4\r\nfine\r\n0\r\n\r\n"), INVALID_200, BROKEN_200),
                trick("a size beyond all", closing(CHUNKED + "ffffffffffffffffff\r\nfine\r\n0\r\n\r\n"), INVALID_200),
                trick(
                        "two lengths",
                        closing(OK + "Content-Length: 4\r\nContent-Length: 5\r\n\r\nfine"),
                        INVALID,
                        INVALID_200),
                trick("a length that is none", closing(OK + "Content-Length: x\r\n\r\nfine"), INVALID, INVALID_200),
                trick("a negative length", closing(OK + "Content-Length: -4\r\n\r\nfine"), INVALID, INVALID_200),
                trick("a signed length", closing(OK + "Content-Length: +4\r\n\r\nfine"), INVALID, INVALID_200),
                trick(
                        "a length beyond all",
                        closing(OK + "Content-Length: 99999999999999999999\r\n\r\nfine"),
                        INVALID,
                        INVALID_200),
                trick(
                        "a coding that we did not ask for",
                        closing(OK + "Transfer-Encoding: gzip, chunked\r\n\r\n4\r\nfine\r\n0\r\n\r\n"),
                        INVALID,
                        INVALID_200),
                trick(
                        "a body where none can be",
                        closing("HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nfine"),
                        invalid204),
                trick(
                        "a protocol that we did not ask for",
                        closing("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"),
                        BROKEN),
                trick(
                        "another version",
                        closing("HTTP/2.0 200 OK\r\nContent-Length: 4\r\n\r\nfine"),
                        INVALID,
                        INVALID_200),
                trick("no HTTP", closing("SSH-2.0-x\r\n\r\n"), INVALID),
                trick("TLS", closing("\u0015\u0003\u0001\u0000\u0002\u0002\u0046"), INVALID, BROKEN));
    }

    /** In the status line, at its end, within a header, before and behind the blank line, within the body. */
    private static List<Trick> cutOff() {
        int head = WHOLE.indexOf("fine");
        return IntStream.of(0, 9, OK.length(), OK.length() + 7, head - 2, head, WHOLE.length() - 1)
                .boxed()
                .flatMap(length -> Stream.of(Ending.CLOSE, Ending.RESET)
                        .map(ending -> trick(
                                ending + " after " + length + " bytes",
                                (request, line) -> {
                                    line.say(WHOLE.substring(0, length));
                                    ending.end(line);
                                },
                                ending == Ending.RESET
                                        ? new SendResult[] {BROKEN, BROKEN_200}
                                        : new SendResult[] {length < head ? BROKEN : BROKEN_200})))
                .toList();
    }

    private static List<Trick> redirects() {
        return IntStream.rangeClosed(300, 308)
                .mapToObj(status -> trick(
                        "a redirection, " + status,
                        closing("HTTP/1.1 " + status + " X\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n"),
                        new Failed(OutcomeCode.REDIRECT, status)))
                .toList();
    }

    /** A megabyte in fewer bytes than may be said, and sixteen in more. */
    private static List<Trick> bombs() {
        byte[] first = gzip(new byte[1 << 20]);
        byte[] all = gzip(new byte[1 << 24]);
        String head = OK + "Content-Encoding: gzip\r\nContent-Length: ";
        return List.of(
                trick("a small bomb", closing(head + first.length + "\r\n\r\n", first), ACKNOWLEDGED),
                trick("a bomb", closing(head + all.length + "\r\n\r\n", all), TOO_LARGE_200),
                trick(
                        "a bomb in chunks",
                        closing(
                                OK + "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
                                        + Integer.toHexString(all.length) + "\r\n",
                                all),
                        TOO_LARGE_200));
    }

    private static Behaviour closing(String head, byte[] body) {
        return (request, line) -> {
            line.say(head);
            line.say(body);
            line.close();
        };
    }

    private static byte[] gzip(byte[] content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** A ServerHello that is cut off, and nothing at all. */
    private static List<Trick> halfTls() {
        return Stream.of("", "\u0016\u0003\u0003\u0000\u007a\u0002\u0000\u0000\u0076\u0003\u0003")
                .flatMap(answer -> Stream.of(Ending.values())
                        .map(ending -> new Trick(
                                "half a handshake of " + answer.length() + " bytes, " + ending,
                                new HalfTls(answer, ending),
                                List.of(new NotSent(OutcomeCode.TLS_FAILED)))))
                .toList();
    }

    private static List<Trick> all() {
        return Stream.of(slow(), floods(), misframed(), cutOff(), redirects(), bombs(), halfTls())
                .flatMap(List::stream)
                .toList();
    }

    @BeforeEach
    void start() throws Exception {
        fixture = new TransportFixture(TransportFixture::noName, SSLContext.getDefault(), 512);
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    /** And not a socket, not a byte of what was sent and received is left. Twice the deadline of the slow ones. */
    @Test
    @Tag("HT-1")
    @Tag("AT-4")
    void eachEndsInTheOutcomeThatIsTrueAndLeavesNothingBehind() throws Exception {
        play(all(), 2);
        Leftovers before = Leftovers.now();

        play(all(), 4);

        before.awaitNoMore();
    }

    /** Plays all tricks at once, each so many times, and sees every connection closed. */
    private void play(List<Trick> tricks, int times) throws Exception {
        List<HostileServer> servers = new ArrayList<>();
        Map<CompletableFuture<SendResult>, Trick> played = new LinkedHashMap<>();
        try {
            for (Trick trick : tricks) {
                HostileServer server = trick.receiver().open();
                servers.add(server);
                for (int i = 0; i < times; i++) {
                    URI url = trick.receiver().url(server, "/" + i);
                    played.put(fixture.transport.send(large(url)), trick);
                }
            }
            SoftAssertions softly = new SoftAssertions();
            for (var one : played.entrySet()) {
                softly.assertThat(one.getKey().get(60, TimeUnit.SECONDS))
                        .as(one.getValue().name())
                        .isIn(one.getValue().outcomes());
            }
            softly.assertAll();
            for (HostileServer server : servers) {
                await().atMost(Duration.ofSeconds(60))
                        .untilAsserted(
                                () -> assertThat(server.openConnections()).isZero());
                assertThat(server.requests().stream().map(HostileServer.Request::path))
                        .doesNotHaveDuplicates();
            }
            await().atMost(Duration.ofSeconds(60)).until(() -> fixture.transport.openConnections() == 0);
        } finally {
            for (HostileServer server : servers) {
                server.close();
            }
        }
    }

    /** A body of its own, large enough that keeping it would show. */
    private Outbound large(URI url) {
        return new Outbound(
                url,
                Map.of(),
                new byte[50_000],
                DEADLINE,
                fixture.clock.nanos() + DEADLINE.toNanos(),
                AckProfile.STATUS);
    }

    private enum Ending {
        CLOSE,
        RESET,
        SILENCE;

        void end(Line line) throws IOException {
            switch (this) {
                case CLOSE -> line.close();
                case RESET -> line.reset();
                case SILENCE -> line.hang();
            }
        }
    }

    /** After each byte of the answer. A reset may overtake what was said before it. */
    @ParameterizedTest
    @EnumSource(names = {"CLOSE", "RESET"})
    @Tag("HT-1")
    @Tag("AT-4")
    void anAnswerThatEndsAnywhereIsOnlyAnAnswerWhenWhole(Ending ending) throws Exception {
        int head = WHOLE.indexOf("fine");
        try (HostileServer server = new HostileServer((request, line) -> {
            line.say(WHOLE.substring(0, Integer.parseInt(request.path().substring(1))));
            ending.end(line);
        })) {
            for (int length = 0; length <= WHOLE.length(); length++) {
                SendResult whole = length == WHOLE.length() ? ACKNOWLEDGED : length < head ? BROKEN : BROKEN_200;
                assertThat(fixture.post(server.url("/" + length)))
                        .as("after %d bytes", length)
                        .isIn(ending == Ending.CLOSE ? List.of(whole) : List.of(whole, BROKEN, BROKEN_200));
            }
            assertThat(server.requests()).hasSize(WHOLE.length() + 1);
        }
    }

    /** Before the request is read, within its head, within its body. */
    @ParameterizedTest
    @EnumSource(names = {"CLOSE", "RESET"})
    @Tag("HT-1")
    @Tag("AT-4")
    void aRequestThatIsNotReadToItsEndIsNeverAcknowledged(Ending ending) throws Exception {
        for (int heard : new int[] {0, 1, 40, 200, 100_000}) {
            try (HostileServer server = HostileServer.meeting(line -> {
                line.hear(heard);
                ending.end(line);
            })) {
                Outbound outbound = new Outbound(
                        server.url("/"),
                        Map.of(),
                        new byte[16 << 20],
                        TransportFixture.AMPLE,
                        fixture.clock.nanos() + TransportFixture.AMPLE.toNanos(),
                        AckProfile.STATUS);
                List<SendResult> outcomes =
                        heard == 0 ? List.of(BROKEN, new NotSent(OutcomeCode.CONNECT_FAILED)) : List.of(BROKEN);
                assertThat(fixture.post(outbound)).as("after %d bytes", heard).isIn(outcomes);
                assertThat(server.accepted()).isEqualTo(1);
            }
        }
    }

    /** The kernel shakes hands for a server that never accepts; when that server ends, it resets what waits. */
    @Test
    @Tag("AT-4")
    void aConnectionThatNobodyEverAcceptedIsNotAcknowledged() throws Exception {
        CompletableFuture<SendResult> result;
        try (ServerSocket listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            result = fixture.transport.send(fixture.outbound(
                    URI.create("http://127.0.0.1:" + listener.getLocalPort() + "/"),
                    TransportFixture.AMPLE,
                    AckProfile.STATUS));
            await().until(() -> fixture.transport.openConnections() == 1);
        }
        assertThat(result.get(60, TimeUnit.SECONDS)).isIn(BROKEN, new NotSent(OutcomeCode.CONNECT_FAILED));
    }

    @Test
    @Tag("HT-1")
    @Tag("AT-4")
    void everyStatusHasItsOutcomeAndGetsOneRequest() throws Exception {
        try (HostileServer server = new HostileServer((request, line) -> line.say("HTTP/1.1 "
                + request.path().substring(1) + " X\r\nLocation: /again\r\nRefresh: 0; url=/again\r\n"
                + "Alt-Svc: h2=\":443\"\r\nContent-Length: 0\r\n\r\n"))) {
            for (int status : IntStream.range(200, 1_000).toArray()) {
                assertThat(fixture.post(server.url("/" + status))).isEqualTo(outcome(status));
            }
            assertThat(server.requests()).hasSize(800).allMatch(r -> r.head().startsWith("POST /"));
            assertThat(server.requests().stream().map(HostileServer.Request::path))
                    .doesNotHaveDuplicates();
        }
    }

    private static SendResult outcome(int status) {
        return switch (status / 100) {
            case 2 -> new Acknowledged(status, null);
            case 3 -> new Failed(OutcomeCode.REDIRECT, status);
            case 4 ->
                switch (status) {
                    case 408 -> new Uncertain(OutcomeCode.TIMEOUT, status, null);
                    case 410 -> new Failed(OutcomeCode.GONE, status);
                    case 429 -> new Uncertain(OutcomeCode.RATE_LIMITED, status, null);
                    default -> new Failed(OutcomeCode.REFUSED, status);
                };
            case 5 -> new Uncertain(OutcomeCode.SERVER_ERROR, status, null);
            default -> new Uncertain(OutcomeCode.INVALID_ACK, status, null);
        };
    }

    /** What came before a request was sent is no answer to it, be it a whole answer, the beginning of one, or neither. */
    @ParameterizedTest
    @Tag("HT-1")
    @ValueSource(
            strings = {WHOLE, WHOLE + WHOLE, OK + "Content-Length: 0\r\n", "HTTP/1.1 2", "garbage", "\r\n", "\u0000"})
    void whatFollowsAnAnswerIsNeverTheNextOnes(String surplus) throws Exception {
        try (HostileServer server = new HostileServer((request, line) -> {
            if (request.path().equals("/1")) {
                line.say(WHOLE + surplus);
            } else {
                line.say("\r\n");
                line.answer("503 Busy", "");
            }
        })) {
            assertThat(fixture.post(server.url("/1"))).isEqualTo(ACKNOWLEDGED);
            assertThat(fixture.post(server.url("/2"))).isEqualTo(new Uncertain(OutcomeCode.SERVER_ERROR, 503, null));
            assertThat(server.requests()).hasSize(2);
            assertThat(server.accepted()).isEqualTo(2);
        }
    }

    /** The receiver reads the request on a kept connection and closes: whether it took it nobody knows, so it goes once. */
    @ParameterizedTest
    @EnumSource(names = {"CLOSE", "RESET"})
    @Tag("HT-1")
    void aKeptConnectionThatBreaksUnderARequestIsNotReplaced(Ending ending) throws Exception {
        try (HostileServer server = new HostileServer((request, line) -> {
            if (request.path().equals("/1")) {
                line.say(WHOLE);
            } else {
                ending.end(line);
            }
        })) {
            assertThat(fixture.post(server.url("/1"))).isEqualTo(ACKNOWLEDGED);
            assertThat(fixture.post(server.url("/2"))).isEqualTo(BROKEN);
            assertThat(server.accepted()).isEqualTo(1);
            assertThat(server.requests()).hasSize(2);
        }
    }

    /** One connection's thread serves all: whoever talks without end must not keep it. */
    @Test
    @Tag("HT-5")
    void whoTalksWithoutEndKeepsNobodyWaiting() throws Exception {
        List<HostileServer> hostile = new ArrayList<>();
        try (HostileServer server = new HostileServer((request, line) -> line.say(WHOLE))) {
            List<CompletableFuture<SendResult>> floods = new ArrayList<>();
            for (Trick trick : floods()) {
                HostileServer one = trick.receiver().open();
                hostile.add(one);
                floods.add(fixture.transport.send(
                        fixture.outbound(one.url("/"), Duration.ofMinutes(4), AckProfile.STATUS)));
            }
            for (int i = 0; i < 20; i++) {
                assertThat(fixture.post(server.url("/" + i))).isEqualTo(ACKNOWLEDGED);
            }
            for (CompletableFuture<SendResult> flood : floods) {
                assertThat(flood.get(60, TimeUnit.SECONDS)).isInstanceOf(Uncertain.class);
            }
        } finally {
            for (HostileServer one : hostile) {
                one.close();
            }
        }
    }
}
