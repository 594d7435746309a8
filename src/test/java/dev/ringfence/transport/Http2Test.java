package dev.ringfence.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ringfence.transport.Http2Server.Reset;
import dev.ringfence.transport.SendResult.Acknowledged;
import dev.ringfence.transport.SendResult.Cancelled;
import dev.ringfence.transport.SendResult.Failed;
import dev.ringfence.transport.SendResult.NotSent;
import dev.ringfence.transport.SendResult.NotStarted;
import dev.ringfence.transport.SendResult.Uncertain;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.Message;
import org.apache.hc.core5.http.URIScheme;
import org.apache.hc.core5.http.impl.bootstrap.HttpAsyncServer;
import org.apache.hc.core5.http.nio.AsyncRequestConsumer;
import org.apache.hc.core5.http.nio.AsyncServerRequestHandler;
import org.apache.hc.core5.http.nio.entity.BasicAsyncEntityConsumer;
import org.apache.hc.core5.http.nio.support.AsyncResponseBuilder;
import org.apache.hc.core5.http.nio.support.BasicRequestConsumer;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.http2.impl.nio.bootstrap.H2ServerBootstrap;
import org.apache.hc.core5.http2.ssl.H2ServerTlsStrategy;
import org.apache.hc.core5.io.CloseMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Receivers that choose HTTP/2 when TLS is agreed upon. */
@Timeout(120)
@Tag("HT-1")
class Http2Test {
    private static final Acknowledged OK = new Acknowledged(200, null);
    private static final Uncertain BROKEN = new Uncertain(OutcomeCode.CONNECTION_BROKEN, null, null);
    private static final Uncertain TIMEOUT = new Uncertain(OutcomeCode.TIMEOUT, null, null);

    @TempDir
    static Path directory;

    private static Pair pair;
    private static SSLContext tls;

    private TransportFixture fixture;

    @BeforeAll
    static void certificate() throws Exception {
        pair = Pair.make(directory, "dns:right.test", "EC");
        tls = pair.trusting(pair);
    }

    @BeforeEach
    void start() {
        fixture = fixture(true);
    }

    @AfterEach
    void stop() {
        fixture.close();
        assertThat(fixture.transport.openConnections()).isZero();
    }

    private static TransportFixture fixture(boolean http2) {
        return new TransportFixture(
                host -> new InetAddress[] {InetAddress.getLoopbackAddress()}, tls, 256, null, http2);
    }

    private static Http2Server answering() throws IOException {
        return new Http2Server(tls, (request, line) -> line.answer(request.stream(), 200));
    }

    @Test
    void sendsExactlyTheStoredBytesAndOnlyItsOwnHead() throws Exception {
        try (Http2Server server = answering()) {
            byte[] body = new byte[200_000];
            for (int i = 0; i < body.length; i++) {
                body[i] = (byte) i;
            }
            Outbound outbound = new Outbound(
                    server.url("//in/%C3%A9?a=%20&b=c//d"),
                    Map.of("Webhook-Id", "evt_1", "Authorization", " Bearer s3cret "),
                    body,
                    TransportFixture.AMPLE,
                    fixture.clock.nanos() + TransportFixture.AMPLE.toNanos(),
                    AckProfile.STATUS);

            assertThat(fixture.post(outbound)).isEqualTo(OK);

            Http2Server.Request request = server.requests().get(0);
            assertThat(request.body()).isEqualTo(body);
            assertThat(request.fields())
                    .containsExactlyInAnyOrder(
                            ":method: POST",
                            ":scheme: " + URIScheme.HTTPS.id,
                            ":authority: right.test:" + server.port(),
                            ":path: //in/%C3%A9?a=%20&b=c//d",
                            "content-length: 200000",
                            "content-type: application/json",
                            "user-agent: " + RequestMessage.USER_AGENT,
                            "webhook-id: evt_1",
                            "authorization: Bearer s3cret");
            assertThat(server.protocols()).containsExactly("h2");
        }
    }

    @Test
    void whereTheReceiverChoosesHttp1OrItIsSwitchedOffHttp1IsSpoken() throws Exception {
        try (Http2Server old = new Http2Server(tls, line -> {}, (request, line) -> {}, "http/1.1");
                Http2Server both = new Http2Server(tls, line -> {}, (request, line) -> {}, "h2", "http/1.1");
                TransportFixture off = fixture(false)) {
            for (int i = 0; i < 3; i++) {
                assertThat(fixture.post(old.url("/" + i))).isEqualTo(OK);
                assertThat(off.post(both.url("/" + i))).isEqualTo(OK);
            }
            assertThat(old.protocols()).containsExactly("http/1.1");
            assertThat(both.protocols()).containsExactly("");
        }
    }

    /** Not even the first of them makes more connections than the rest need. */
    @Test
    void aHundredRequestsShareAConnection() throws Exception {
        CountDownLatch all = new CountDownLatch(100);
        try (Http2Server server = new Http2Server(tls, (request, line) -> {
            all.countDown();
            new Thread(() -> {
                        try {
                            all.await();
                            line.answer(request.stream(), 200, "fine");
                        } catch (InterruptedException | IOException e) {
                            throw new IllegalStateException(e);
                        }
                    })
                    .start();
        })) {
            assertThat(results(send(server, 100))).containsOnly(OK);
            assertThat(results(send(server, 50))).containsOnly(OK);
            assertThat(server.accepted()).isEqualTo(1);
            assertThat(server.mostAtOnce()).isEqualTo(100);
            assertThat(server.requests()).hasSize(150);
            assertThat(server.faults()).isEmpty();
            // Nobody needs it: it is closed, the receiver having been told.
            await().atMost(Duration.ofSeconds(60)).until(() -> server.openConnections() == 0);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7})
    void noMoreAtOnceThanTheReceiverPermits(int most) throws Exception {
        try (Http2Server server = new Http2Server(
                tls,
                line -> line.frame(Http2Server.SETTINGS, 0, 0, Http2Server.settings(3, most)),
                (request, line) -> line.answer(request.stream(), 200),
                "h2")) {
            assertThat(fixture.post(server.url("/first"))).isEqualTo(OK);
            assertThat(results(send(server, 150))).containsOnly(OK);
            assertThat(server.mostAtOnce()).isLessThanOrEqualTo(most);
            assertThat(server.requests()).hasSize(151);
            assertThat(server.heads()).isEqualTo(151);
            assertThat(server.faults()).isEmpty();
        }
    }

    /** The deadline ends a stream, not what others have on the same connection. */
    @Test
    void aStreamIsResetAtItsDeadlineAndTheOthersGoOn() throws Exception {
        CountDownLatch reset = new CountDownLatch(1);
        try (Http2Server server = new Http2Server(tls, (request, line) -> {
            if (request.path().equals("/patient")) {
                answerWhen(reset, request, line);
            } else if (request.path().equals("/slow")) {
                line.frame(
                        Http2Server.HEADERS,
                        Http2Server.END_HEADERS,
                        request.stream(),
                        Http2Server.fields(":status", "200"));
            }
        })) {
            CompletableFuture<SendResult> patient = fixture.transport.send(
                    fixture.outbound(server.url("/patient"), Duration.ofSeconds(90), AckProfile.STATUS));
            await().until(() -> server.requests().size() == 1);

            assertThat(fixture.post(server.url("/silent"), TransportFixture.SHORT))
                    .isEqualTo(TIMEOUT);
            awaitNoDoubt();
            assertThat(fixture.post(server.url("/slow"), TransportFixture.SHORT))
                    .isEqualTo(new Uncertain(OutcomeCode.TIMEOUT, 200, null));
            awaitNoDoubt();
            CompletableFuture<SendResult> cancelled = fixture.transport.send(
                    fixture.outbound(server.url("/cancelled"), Duration.ofSeconds(90), AckProfile.STATUS));
            await().until(() -> server.requests().size() == 4);
            fixture.transport.cancel(cancelled);
            assertThat(cancelled.get(10, TimeUnit.SECONDS)).isEqualTo(new Uncertain(OutcomeCode.REDACTED, null, null));

            await().untilAsserted(() -> assertThat(server.resets())
                    .containsExactly(
                            new Reset(3, Http2Server.CANCEL),
                            new Reset(5, Http2Server.CANCEL),
                            new Reset(7, Http2Server.CANCEL)));
            reset.countDown();
            assertThat(patient.get(60, TimeUnit.SECONDS)).isEqualTo(OK);
            assertThat(server.accepted()).isEqualTo(1);
            assertThat(server.requests()).hasSize(4);
            assertThat(server.faults()).isEmpty();
        }
    }

    /** Each receiver is asked whether it still reads where it did not answer in time. */
    private void awaitNoDoubt() {
        await().until(() -> fixture.transport.doubtedConnections() == 0);
    }

    /** The receiver reads nothing any more, and may even talk on: what follows takes another way, and what it has got is left to it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("HT-5")
    void aReceiverThatDoesNotReadGetsNothingMoreUntilItDoes(boolean talks) throws Exception {
        CountDownLatch answers = new CountDownLatch(1);
        try (Http2Server server = stalling(talks, answers)) {
            CompletableFuture<SendResult> patient = fixture.transport.send(
                    fixture.outbound(server.url("/patient"), Duration.ofSeconds(90), AckProfile.STATUS));
            await().until(() -> server.requests().size() == 1);
            assertThat(fixture.post(server.url(Http2Server.STALL), Duration.ofSeconds(3)))
                    .isEqualTo(TIMEOUT);

            for (int i = 0; i < 3; i++) {
                assertThat(fixture.post(server.url("/" + i))).isEqualTo(OK);
            }
            assertThat(server.accepted()).isEqualTo(2);
            assertThat(patient).isNotDone();

            server.readOn();
            awaitNoDoubt();
            answers.countDown();
            assertThat(patient.get(60, TimeUnit.SECONDS)).isEqualTo(OK);
            assertThat(server.paths()).doesNotHaveDuplicates();
            assertThat(server.faults()).isEmpty();
        }
    }

    /** With the last request that waited on it such a connection ends, and the receiver is still one for HTTP/2. */
    @Test
    @Tag("HT-5")
    void aConnectionToAReceiverThatDoesNotReadEndsWithItsLastRequest() throws Exception {
        try (Http2Server server = stalling(true, new CountDownLatch(0))) {
            Duration patience = Duration.ofSeconds(3);
            assertThat(fixture.post(new Outbound(
                            server.url(Http2Server.STALL),
                            Map.of(),
                            new byte[16 << 20],
                            patience,
                            fixture.clock.nanos() + patience.toNanos(),
                            AckProfile.STATUS)))
                    .isEqualTo(TIMEOUT);
            await().until(() -> fixture.transport.openConnections() == 0);

            assertThat(fixture.post(server.url("/next"))).isEqualTo(OK);
            assertThat(server.protocols()).containsExactly("h2", "h2");
        }
    }

    /** Permits windows without bounds, answers {@code /patient} when it may and all others at once. */
    private static Http2Server stalling(boolean talks, CountDownLatch answers) throws IOException {
        byte[] ping = Http2Server.bytes(Http2Server.PING, 0, 0, new byte[8]);
        return new Http2Server(
                tls,
                line -> {
                    line.frame(Http2Server.SETTINGS, 0, 0, Http2Server.settings(4, Integer.MAX_VALUE));
                    line.frame(Http2Server.WINDOW_UPDATE, 0, 0, Http2Server.number(Integer.MAX_VALUE - 65_535));
                    if (talks) {
                        line.drip(ping);
                    }
                },
                (request, line) -> {
                    if (request.path().equals("/patient")) {
                        answerWhen(answers, request, line);
                    } else {
                        line.answer(request.stream(), 200);
                    }
                },
                "h2");
    }

    private static void answerWhen(CountDownLatch may, Http2Server.Request request, Http2Server.Line line) {
        new Thread(() -> {
                    try {
                        may.await();
                        line.answer(request.stream(), 200);
                    } catch (InterruptedException | IOException e) {
                        throw new IllegalStateException(e);
                    }
                })
                .start();
    }

    /** As over HTTP/1.1: it is us who do not read on. */
    @ParameterizedTest
    @ValueSource(ints = {404, 410})
    @Tag("AT-4")
    void aRefusalStandsHoweverLargeItsBodyIs(int status) throws Exception {
        try (Http2Server server =
                new Http2Server(tls, (request, line) -> line.answer(request.stream(), status, "x".repeat(10 * 1024)))) {
            assertThat(fixture.post(server.url("/gone"))).isInstanceOf(Failed.class);
        }
    }

    @Test
    void aLargeAnswerIsResetAtTheCap() throws Exception {
        String full = "x".repeat(Answer.CAP);
        try (Http2Server server = new Http2Server(tls, (request, line) -> {
            if (request.path().equals("/full")) {
                line.answer(request.stream(), 200, full);
            } else if (request.path().equals("/over")) {
                line.frame(
                        Http2Server.HEADERS,
                        Http2Server.END_HEADERS,
                        request.stream(),
                        Http2Server.fields(":status", "200"));
                line.frame(Http2Server.DATA, 0, request.stream(), full.getBytes());
                line.frame(Http2Server.DATA, 0, request.stream(), (byte) 'x');
            } else {
                line.answer(request.stream(), 200);
            }
        })) {
            assertThat(fixture.post(server.url("/full"))).isEqualTo(OK);
            assertThat(fixture.post(server.url("/over")))
                    .isEqualTo(new Uncertain(OutcomeCode.ACK_TOO_LARGE, 200, null));
            assertThat(fixture.post(server.url("/next"))).isEqualTo(OK);
            await().untilAsserted(() -> assertThat(server.resets()).containsExactly(new Reset(3, Http2Server.CANCEL)));
            assertThat(server.accepted()).isEqualTo(1);
        }
    }

    @Test
    @Tag("AT-3")
    void afterTheSendByDeadlineNoStreamBegins() throws Exception {
        AtomicBoolean suspended = new AtomicBoolean();
        TransportFixture[] sender = new TransportFixture[1];
        try (Http2Server server = answering();
                TransportFixture f = new TransportFixture(
                        host -> {
                            if (suspended.get()) {
                                sender[0].clock.advance(TransportFixture.AMPLE);
                            }
                            return new InetAddress[] {InetAddress.getLoopbackAddress()};
                        },
                        tls,
                        4)) {
            sender[0] = f;
            assertThat(f.post(server.url("/1"))).isEqualTo(OK);
            f.clock.advance(Duration.ofMinutes(2)); // names are asked for again
            suspended.set(true);
            assertThat(f.post(server.url("/2"))).isEqualTo(new NotStarted());
            assertThat(server.heads()).isEqualTo(1);
        }
    }

    /** The process is suspended after a stream was made and before its head is written: its number stays unused. */
    @Test
    @Tag("AT-3")
    void aStreamThatMayNotBeginAnyMoreLeavesNoTrace() throws Exception {
        try (Http2Server server = answering()) {
            assertThat(fixture.post(server.url("/1"))).isEqualTo(OK);
            fixture.clock.jumpOnceIn("beginSending", TransportFixture.SHORT);

            assertThat(fixture.post(server.url("/2"), TransportFixture.SHORT)).isEqualTo(new NotStarted());
            assertThat(fixture.post(server.url("/3"))).isEqualTo(OK);

            assertThat(server.requests().stream().map(Http2Server.Request::path))
                    .containsExactly("/1", "/3");
            assertThat(server.requests().get(1).stream()).isEqualTo(5);
            assertThat(server.resets()).isEmpty();
            assertThat(server.faults()).isEmpty();
            assertThat(server.accepted()).isEqualTo(1);
        }
    }

    /**
     * The receiver stops reading while a large request is written, so that the heads of some of the next wait behind it. When nothing may
     * be sent any more, the connection is closed: the head does not leave later, and the large request hears of it.
     */
    @Test
    @Tag("AT-3")
    void aHeadThatWaitsBehindOthersDoesNotLeaveAfterTheSendByDeadline() throws Exception {
        byte[] ping = Http2Server.bytes(Http2Server.PING, 0, 0, new byte[8]);
        try (Http2Server server = new Http2Server(
                tls,
                line -> {
                    line.frame(Http2Server.SETTINGS, 0, 0, Http2Server.settings(4, Integer.MAX_VALUE));
                    line.frame(Http2Server.WINDOW_UPDATE, 0, 0, Http2Server.number(Integer.MAX_VALUE - 65_535));
                    line.drip(ping);
                },
                (request, line) -> line.answer(request.stream(), 200),
                "h2")) {
            CompletableFuture<SendResult> stuck = fixture.transport.send(new Outbound(
                    server.url(Http2Server.STALL),
                    Map.of(),
                    new byte[64 << 20],
                    Duration.ofSeconds(100),
                    fixture.clock.nanos() + Duration.ofSeconds(100).toNanos(),
                    AckProfile.STATUS));
            await().until(() -> server.heads() == 1);
            List<CompletableFuture<SendResult>> waiting = IntStream.range(0, 60)
                    .mapToObj(i -> fixture.transport.send(wide(server.url("/" + i), 1_000_000 + i)))
                    .toList();
            assertThat(results(waiting))
                    .as("%s, %s", stuck.getNow(TIMEOUT), sockets(server.port()))
                    .contains(BROKEN)
                    .isSubsetOf(BROKEN, new NotStarted());
            assertThat(stuck.get(30, TimeUnit.SECONDS)).isEqualTo(BROKEN);
            server.readOn();
            await().until(() -> server.openConnections() == 0);
            assertThat(server.paths()).doesNotContain(":path: /59");
            assertThat(server.faults()).isEmpty();
        }
    }

    /** So that few of them fill what is between the core and the socket. */
    private Outbound wide(URI url, int filling) {
        Duration sendBy = Duration.ofSeconds(3);
        return new Outbound(
                url,
                Map.of("x-wide", Integer.toString(filling).repeat(500)),
                TransportFixture.BODY,
                sendBy.multipliedBy(2),
                fixture.clock.nanos() + sendBy.toNanos(),
                AckProfile.STATUS);
    }

    /** Somebody else's implementation of the other side. */
    @Test
    void manyLargeRequestsReachAnotherImplementation() throws Exception {
        Map<String, Integer> came = new ConcurrentHashMap<>();
        HttpAsyncServer server = H2ServerBootstrap.bootstrap()
                .setTlsStrategy(new H2ServerTlsStrategy(tls))
                .setVersionPolicy(HttpVersionPolicy.NEGOTIATE)
                .setCanonicalHostName("right.test")
                .register("*", new AsyncServerRequestHandler<Message<HttpRequest, byte[]>>() {
                    @Override
                    public AsyncRequestConsumer<Message<HttpRequest, byte[]>> prepare(
                            HttpRequest request, EntityDetails entity, HttpContext context) {
                        return new BasicRequestConsumer<>(new BasicAsyncEntityConsumer());
                    }

                    @Override
                    public void handle(
                            Message<HttpRequest, byte[]> message, ResponseTrigger trigger, HttpContext context)
                            throws HttpException, IOException {
                        String what = message.getHead().getVersion() + " "
                                + message.getHead().getPath() + " " + message.getBody().length;
                        came.merge(what, 1, Integer::sum);
                        trigger.submitResponse(
                                AsyncResponseBuilder.create(200)
                                        .setEntity("fine")
                                        .build(),
                                context);
                    }
                })
                .create();
        try {
            server.start();
            int port = ((InetSocketAddress)
                            server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), URIScheme.HTTPS)
                                    .get(30, TimeUnit.SECONDS)
                                    .getAddress())
                    .getPort();
            List<CompletableFuture<SendResult>> sent = IntStream.range(0, 100)
                    .mapToObj(i -> fixture.transport.send(new Outbound(
                            URI.create("https://right.test:" + port + "/" + i),
                            Map.of(),
                            new byte[100_000 + i],
                            Duration.ofSeconds(60),
                            fixture.clock.nanos() + Duration.ofSeconds(60).toNanos(),
                            AckProfile.STATUS)))
                    .toList();
            assertThat(results(sent)).containsOnly(OK);
            assertThat(came).hasSize(100).allSatisfy((what, times) -> {
                assertThat(what).startsWith("HTTP/2.0 /");
                assertThat(times).isEqualTo(1);
            });
            assertThat(came).containsKey("HTTP/2.0 /99 100099");
            assertThat(fixture.transport.openConnections()).isLessThanOrEqualTo(1);
        } finally {
            server.close(CloseMode.IMMEDIATE);
        }
    }

    /** Refused, or beyond what a receiver that goes away looks at: certainly not processed, but bytes have left. */
    @Test
    @Tag("AT-4")
    void whatTheReceiverRefusesToLookAtIsUncertainAndNotRepeated() throws Exception {
        try (Http2Server server = new Http2Server(tls, (request, line) -> {
            switch (request.path()) {
                case "/refused" -> line.frame(Http2Server.RST_STREAM, 0, request.stream(), Http2Server.number(7));
                case "/away" -> line.frame(Http2Server.GOAWAY, 0, 0, Http2Server.number(request.stream() - 2, 0));
                default -> line.answer(request.stream(), 200);
            }
        })) {
            assertThat(fixture.post(server.url("/1"))).isEqualTo(OK);
            assertThat(fixture.post(server.url("/refused"))).isEqualTo(BROKEN);
            assertThat(fixture.post(server.url("/2"))).isEqualTo(OK);
            assertThat(server.accepted()).isEqualTo(1);
            assertThat(fixture.post(server.url("/away"))).isEqualTo(BROKEN);
            assertThat(fixture.post(server.url("/3"))).isEqualTo(OK);
            assertThat(server.accepted()).isEqualTo(2);
            assertThat(server.heads()).isEqualTo(5);
        }
    }

    /** A receiver that goes away lets what it has go on, and gets nothing more on that connection. */
    @Test
    void aReceiverThatGoesAwayAnswersWhatItHas() throws Exception {
        try (Http2Server server = new Http2Server(tls, (request, line) -> {
            line.frame(Http2Server.GOAWAY, 0, 0, Http2Server.number(Integer.MAX_VALUE, 0));
            line.answer(request.stream(), 200);
        })) {
            for (int i = 0; i < 5; i++) {
                assertThat(fixture.post(server.url("/" + i))).isEqualTo(OK);
            }
            assertThat(server.accepted()).isEqualTo(5);
            await().until(() -> server.openConnections() == 0);
        }
    }

    @Test
    void settingsAddUpAndWhatIsUnknownIsIgnored() throws Exception {
        try (Http2Server server = new Http2Server(
                tls,
                line -> {
                    line.frame(Http2Server.SETTINGS, 0, 0, Http2Server.settings(3, 2, 1, -1, 6, -1, 99, 7));
                    line.frame(0xc, 0, 0, new byte[40]);
                    line.frame(0xfa, 0xff, 7, new byte[5]);
                    line.frame(Http2Server.SETTINGS, 0, 0, Http2Server.settings(4, 1_000));
                },
                (request, line) -> line.answer(request.stream(), 200),
                "h2")) {
            assertThat(fixture.post(server.url("/first"))).isEqualTo(OK);
            assertThat(results(send(server, 30))).containsOnly(OK);
            assertThat(server.mostAtOnce()).isLessThanOrEqualTo(2);
            assertThat(server.protocols()).containsOnly("h2");
            assertThat(server.faults()).isEmpty();
        }
    }

    /** What was agreed upon does not come about: the receiver is spoken to in HTTP/1.1, nothing having been sent. */
    @Test
    @Tag("AT-4")
    void aReceiverThatDoesNotBeginHttp2IsSpokenToInHttp1() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<Future<?>> receivers = new ArrayList<>();
            for (String way :
                    List.of("", "silence", "closed", "garbage", "unconfirmed", "no streams", "no window", "away")) {
                receivers.add(threads.submit(() -> doesNotBegin(way)));
            }
            for (Future<?> receiver : receivers) {
                receiver.get(100, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private Void doesNotBegin(String way) throws Exception {
        try (Http2Server both =
                        new Http2Server(tls, line -> begin(way, line), (request, line) -> {}, "h2", "http/1.1");
                Http2Server only = new Http2Server(tls, line -> begin(way, line), (request, line) -> {}, "h2")) {
            Duration patience = Duration.ofSeconds(8);
            assertThat(fixture.post(both.url("/1"), patience)).as(way).isEqualTo(OK);
            int accepted = both.accepted();
            assertThat(fixture.post(both.url("/2"), patience)).as(way).isEqualTo(OK);
            assertThat(both.accepted()).as(way).isEqualTo(accepted);
            assertThat(both.requests()).as(way).hasSize(2);

            assertThat(fixture.post(only.url("/1"), patience)).as(way).isEqualTo(new NotSent(OutcomeCode.TLS_FAILED));
            assertThat(only.heads()).as(way).isZero();
        }
        return null;
    }

    private static void begin(String way, Http2Server.Line line) throws IOException {
        switch (way) {
            case "silence" -> {}
            case "closed" -> line.close();
            case "garbage" -> line.say("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes());
            case "unconfirmed" -> {
                line.confirmNothing();
                line.frame(Http2Server.SETTINGS, 0, 0);
            }
            case "no streams" -> line.frame(Http2Server.SETTINGS, 0, 0, Http2Server.settings(3, 0));
            case "no window" -> line.frame(Http2Server.SETTINGS, 0, 0, Http2Server.settings(4, 0));
            case "away" ->
                line.say(Http2Server.joined(
                        Http2Server.bytes(Http2Server.SETTINGS, 0, 0),
                        Http2Server.bytes(Http2Server.GOAWAY, 0, 0, Http2Server.number(0, 0))));
            default -> line.frame(Http2Server.PING, 0, 0, new byte[7]);
        }
    }

    /** After a broken connection HTTP/1.1 is tried; who has none is offered HTTP/2 again, at once and not ten minutes later. */
    @Test
    void aReceiverWithoutHttp1IsOfferedHttp2Again() throws Exception {
        AtomicBoolean broken = new AtomicBoolean();
        try (Http2Server server = new Http2Server(
                tls,
                line -> line.frame(Http2Server.SETTINGS, 0, 0),
                (request, line) -> {
                    if (broken.compareAndSet(false, true)) {
                        line.close();
                    } else {
                        line.answer(request.stream(), 200);
                    }
                },
                "h2")) {
            assertThat(fixture.post(server.url("/1"))).isEqualTo(BROKEN);
            await().untilAsserted(() ->
                    assertThat(fixture.post(server.url("/2"))).isEqualTo(new NotSent(OutcomeCode.TLS_FAILED)));
            assertThat(fixture.post(server.url("/3"))).isEqualTo(OK);
        }
    }

    @Test
    @Tag("HT-4")
    void theNameIsCheckedAndIdentitiesDoNotMix() throws Exception {
        Pair other = Pair.make(directory, "dns:other", "EC");
        try (Http2Server server = new Http2Server(
                        pair.trusting(pair, other), (request, line) -> line.answer(request.stream(), 200))
                .needingCertificates()) {
            String wrong = "https://wrong.test:" + server.port() + "/";
            assertThat(fixture.post(URI.create(wrong))).isEqualTo(new NotSent(OutcomeCode.TLS_FAILED));
            for (int i = 0; i < 3; i++) {
                assertThat(fixture.post(as(pair, server.url("/a")))).isEqualTo(OK);
                assertThat(fixture.post(as(other, server.url("/b")))).isEqualTo(OK);
            }
            assertThat(server.requests())
                    .hasSize(6)
                    .allSatisfy(request -> assertThat(request.connection())
                            .isEqualTo(server.requests().stream()
                                    .filter(r -> r.path().equals(request.path()))
                                    .findFirst()
                                    .orElseThrow()
                                    .connection()));
            assertThat(server.requests().get(0).connection())
                    .isNotEqualTo(server.requests().get(1).connection());
        }
    }

    private Outbound as(Pair who, URI url) throws Exception {
        return new Outbound(
                url,
                Map.of(),
                TransportFixture.BODY,
                TransportFixture.AMPLE,
                fixture.clock.nanos() + TransportFixture.AMPLE.toNanos(),
                AckProfile.STATUS,
                new TlsMaterial(pair.certificatePem(), who.certificatePem(), who.keyPem()),
                null);
    }

    @Test
    @Tag("HT-4")
    void throughAProxyTheTunnelIsShared() throws Exception {
        try (Http2Server server = answering();
                HostileServer proxy = HostileServer.meeting(line -> {
                    String target = line.head().split(" ")[1];
                    int port = Integer.parseInt(target.substring(target.lastIndexOf(':') + 1));
                    try (Socket far = new Socket(InetAddress.getLoopbackAddress(), port)) {
                        line.say("HTTP/1.1 200 Connection established\r\n\r\n");
                        line.relay(far);
                    }
                });
                TransportFixture f = new TransportFixture(
                        host -> new InetAddress[] {InetAddress.getLoopbackAddress()},
                        tls,
                        8,
                        EgressProxy.parse("http://127.0.0.1:" + proxy.port()))) {
            List<CompletableFuture<SendResult>> sent = IntStream.range(0, 20)
                    .mapToObj(i -> f.transport.send(
                            f.outbound(server.url("/" + i), TransportFixture.AMPLE, AckProfile.STATUS)))
                    .toList();
            assertThat(results(sent)).containsOnly(OK);
            assertThat(proxy.accepted()).isEqualTo(1);
            assertThat(server.protocols()).containsExactly("h2");
        }
    }

    /** Those who wait for a connection that does not come about end as its maker does, and leave nothing. */
    @Test
    @Tag("AT-4")
    void whoWaitsForAConnectionFailsAsItFails() throws Exception {
        try (HostileServer silent = HostileServer.meeting(HostileServer.Line::hang)) {
            URI url = URI.create("https://right.test:" + silent.port() + "/");
            List<CompletableFuture<SendResult>> sent = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                sent.add(fixture.transport.send(fixture.outbound(url, TransportFixture.SHORT, AckProfile.STATUS)));
            }
            CompletableFuture<SendResult> cancelled =
                    fixture.transport.send(fixture.outbound(url, TransportFixture.AMPLE, AckProfile.STATUS));
            fixture.transport.cancel(cancelled);
            // Or CONNECT_FAILED, for one that has just begun to try by itself when its time is over.
            assertThat(results(sent))
                    .hasOnlyElementsOfType(NotSent.class)
                    .contains(new NotSent(OutcomeCode.TLS_FAILED));
            assertThat(cancelled.get(10, TimeUnit.SECONDS)).isEqualTo(new Cancelled());
            await().until(() -> silent.openConnections() == 0);
        }
    }

    private static List<String> sockets(int port) {
        String hex = String.format(":%04X ", port);
        return Stream.of("/proc/net/tcp", "/proc/net/tcp6")
                .flatMap(Http2Test::lines)
                .filter(line -> line.contains(hex))
                .toList();
    }

    private static Stream<String> lines(String file) {
        try {
            return Files.readAllLines(Path.of(file)).stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<CompletableFuture<SendResult>> send(Http2Server server, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> fixture.transport.send(
                        fixture.outbound(server.url("/" + i), Duration.ofSeconds(60), AckProfile.STATUS)))
                .toList();
    }

    private static List<SendResult> results(List<CompletableFuture<SendResult>> sent) throws Exception {
        CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).get(90, TimeUnit.SECONDS);
        return sent.stream().map(CompletableFuture::join).toList();
    }
}
