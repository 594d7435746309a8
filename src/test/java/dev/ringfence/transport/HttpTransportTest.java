package dev.ringfence.transport;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ringfence.transport.HostileServer.Request;
import dev.ringfence.transport.SendResult.Acknowledged;
import dev.ringfence.transport.SendResult.Failed;
import dev.ringfence.transport.SendResult.Forbidden;
import dev.ringfence.transport.SendResult.NotSent;
import dev.ringfence.transport.SendResult.NotStarted;
import dev.ringfence.transport.SendResult.Uncertain;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPOutputStream;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class HttpTransportTest {
    private static final String ACK =
            "{\"ok\":true,\"stored\":1,\"deduped\":0,\"scope\":\"app\",\"results\":[{\"appId\":\"shop\",\"scope\":\"app\",\"id\":\"7\"}]}";

    private TransportFixture fixture;

    @BeforeEach
    void start() throws Exception {
        fixture = new TransportFixture();
    }

    @AfterEach
    void stop() {
        fixture.close();
        assertThat(fixture.transport.openConnections()).isZero();
    }

    @Test
    @Tag("HT-1")
    void sendsExactlyTheStoredBytesAndOnlyItsOwnHead() throws Exception {
        try (HostileServer server = new HostileServer((request, line) -> line.answer("200 OK", ""))) {
            byte[] body = new byte[70_000];
            for (int i = 0; i < body.length; i++) {
                body[i] = (byte) i;
            }
            URI url = server.url("//in/é?a=%20&b=c//d".replace("é", "%C3%A9"));
            Outbound outbound = new Outbound(
                    url,
                    Map.of("webhook-id", "evt_1", "Authorization", "Bearer s3cret"),
                    body,
                    TransportFixture.AMPLE,
                    Long.MAX_VALUE / 2 + fixture.clock.nanos() / 2,
                    AckProfile.STATUS);

            assertThat(fixture.post(outbound)).isEqualTo(new Acknowledged(200, null));
            Request request = server.requests().get(0);
            assertThat(request.body()).isEqualTo(body);
            assertThat(request.lines())
                    .containsExactlyInAnyOrder(
                            "POST //in/%C3%A9?a=%20&b=c//d HTTP/1.1",
                            "Host: 127.0.0.1:" + server.port(),
                            "Content-Length: 70000",
                            "Content-Type: application/json",
                            "User-Agent: " + RequestMessage.USER_AGENT,
                            "webhook-id: evt_1",
                            "Authorization: Bearer s3cret");
        }
    }

    @Test
    @Tag("HT-1")
    void keepsConnectionsAlive() throws Exception {
        try (HostileServer server = new HostileServer((request, line) -> line.answer("200 OK", "fine"))) {
            for (int i = 0; i < 20; i++) {
                assertThat(fixture.post(server.url("/"))).isEqualTo(new Acknowledged(200, null));
            }
            assertThat(server.requests()).hasSize(20);
            assertThat(server.accepted()).isEqualTo(1);
            await().untilAsserted(() -> assertThat(server.openConnections()).isZero());
        }
    }

    @Test
    @Tag("HT-1")
    void aConnectionThatTheReceiverSoonDropsIsNotKept() throws Exception {
        for (String header : List.of("Keep-Alive: timeout=2, max=9", "Connection: close", "keep-alive: TIMEOUT = 0")) {
            try (HostileServer server = new HostileServer(
                    (request, line) -> line.say("HTTP/1.1 200 OK\r\n" + header + "\r\nContent-Length: 0\r\n\r\n"))) {
                assertThat(fixture.post(server.url("/1"))).isEqualTo(new Acknowledged(200, null));
                assertThat(fixture.post(server.url("/2"))).isEqualTo(new Acknowledged(200, null));
                assertThat(server.accepted()).as(header).isEqualTo(2);
            }
        }
    }

    @Test
    @Tag("HT-1")
    void anAnswerBeforeTheWholeRequestAcknowledgesNothing() throws Exception {
        try (HostileServer server = new HostileServer((request, line) -> {
            line.answer("200 OK", "");
            if (request.path().equals("/" + HostileServer.LEAVE_UNREAD)) {
                line.hang();
            }
        })) {
            Outbound large = new Outbound(
                    server.url("/" + HostileServer.LEAVE_UNREAD),
                    Map.of(),
                    new byte[32 << 20],
                    TransportFixture.AMPLE,
                    fixture.clock.nanos() + TransportFixture.AMPLE.toNanos(),
                    AckProfile.STATUS);
            assertThat(fixture.post(large)).isEqualTo(new Uncertain(OutcomeCode.INVALID_ACK, 200, null));
            assertThat(fixture.post(server.url("/next"))).isEqualTo(new Acknowledged(200, null));
            assertThat(server.accepted()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @Tag("HT-1")
    @ValueSource(strings = {"", "HTTP/1.1 200 OK\r\nX-Slow: ", "HTTP/1.1 200 OK\r\nContent-Length: 8000\r\n\r\n"})
    void oneDeadlineCoversHeadAndBodyAndClosesTheConnection(String start) throws Exception {
        try (HostileServer server = new HostileServer((request, line) -> {
            line.say(start);
            line.drip("x");
        })) {
            SendResult result = fixture.post(server.url("/"), TransportFixture.SHORT);

            assertThat(result).isInstanceOf(Uncertain.class);
            assertThat(((Uncertain) result).code()).isEqualTo(OutcomeCode.TIMEOUT);
            await().untilAsserted(() -> assertThat(server.openConnections()).isZero());
            assertThat(server.requests()).hasSize(1);
        }
    }

    @Test
    @Tag("HT-1")
    void aSilentReceiverIsLeftAtTheDeadline() throws Exception {
        try (HostileServer server = new HostileServer((request, line) -> line.hang())) {
            assertThat(fixture.post(server.url("/"), TransportFixture.SHORT))
                    .isEqualTo(new Uncertain(OutcomeCode.TIMEOUT, null, null));
            await().untilAsserted(() -> assertThat(server.openConnections()).isZero());
        }
    }

    @Test
    @Tag("AT-4")
    void aConnectionThatNobodyAcceptsIsProvedNotSent() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        assertThat(fixture.post(URI.create("http://127.0.0.1:" + port + "/")))
                .isEqualTo(new NotSent(OutcomeCode.CONNECT_FAILED));
        assertThat(fixture.post(URI.create("http://nowhere.test/")))
                .isEqualTo(new NotSent(OutcomeCode.NAME_NOT_RESOLVED));
    }

    @Test
    @Tag("AT-4")
    void aNameServiceThatDoesNotAnswerIsLeftAtTheDeadline() throws Exception {
        CompletableFuture<InetAddress[]> never = new CompletableFuture<>();
        try (TransportFixture stuck = new TransportFixture(host -> never.join(), SSLContext.getDefault(), 1)) {
            assertThat(stuck.post(URI.create("http://slow.test/"), TransportFixture.SHORT))
                    .isEqualTo(new NotSent(OutcomeCode.NAME_NOT_RESOLVED));
        } finally {
            never.complete(new InetAddress[0]);
        }
    }

    @Test
    @Tag("AT-4")
    void aConnectionThatBreaksAfterTheRequestIsUncertain() throws Exception {
        List<HostileServer.Behaviour> breaks = List.of(
                (request, line) -> line.close(),
                (request, line) -> line.reset(),
                (request, line) -> {
                    line.say("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"ok\"");
                    line.close();
                },
                (request, line) -> {
                    line.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + Integer.toHexString(ACK.length())
                            + "\r\n" + ACK + "\r\n");
                    line.close();
                });
        for (HostileServer.Behaviour behaviour : breaks) {
            try (HostileServer server = new HostileServer(behaviour)) {
                SendResult result = fixture.post(receipt(server.url("/")));

                assertThat(result).isInstanceOf(Uncertain.class);
                assertThat(((Uncertain) result).code()).isEqualTo(OutcomeCode.CONNECTION_BROKEN);
                assertThat(server.requests()).hasSize(1);
            }
        }
    }

    @Test
    @Tag("HT-1")
    void aHeadThatIsCutOffIsNoAnswer() throws Exception {
        String head = "HTTP/1.1 200 OK\r\nServer: x\r\n\r\n";
        for (int length = 1; length < head.length(); length++) {
            String part = head.substring(0, length);
            try (HostileServer server = new HostileServer((request, line) -> {
                line.say(part);
                line.close();
            })) {
                assertThat(fixture.post(server.url("/")))
                        .as(part)
                        .isEqualTo(new Uncertain(OutcomeCode.CONNECTION_BROKEN, null, null));
            }
        }
    }

    @Test
    @Tag("HT-1")
    void whatIsNoHttpIsNoAcknowledgement() throws Exception {
        for (String answer : List.of("SSH-2.0-x\r\n\r\n", "HTTP/1.1 two\r\n\r\n", "HTTP/1.1 999 Odd\r\n\r\n")) {
            try (HostileServer server = new HostileServer((request, line) -> {
                line.say(answer);
                line.close();
            })) {
                assertThat(fixture.post(server.url("/"))).isInstanceOf(Uncertain.class);
                assertThat(server.requests()).hasSize(1);
            }
        }
    }

    @Test
    @Tag("HT-1")
    void anAcknowledgementIsCappedByItsBytesOnTheWire() throws Exception {
        String full = "x".repeat(Answer.CAP);
        try (HostileServer server = new HostileServer((request, line) -> {
            switch (request.path()) {
                case "/full" -> line.answer("200 OK", full);
                case "/announced" -> line.say("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
                case "/over" -> line.say("HTTP/1.1 200 OK\r\n\r\n" + full + "x");
                case "/endless" -> {
                    line.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
                    line.flood("5\r\nabcde\r\n");
                }
                default -> {
                    line.say("HTTP/1.1 404 Not Found\r\n\r\n");
                    line.flood(full);
                }
            }
        })) {
            Uncertain tooLarge = new Uncertain(OutcomeCode.ACK_TOO_LARGE, 200, null);
            assertThat(fixture.post(server.url("/full"))).isEqualTo(new Acknowledged(200, null));
            assertThat(fixture.post(server.url("/announced"))).isEqualTo(tooLarge);
            assertThat(fixture.post(server.url("/over"))).isEqualTo(tooLarge);
            assertThat(fixture.post(server.url("/endless"))).isEqualTo(tooLarge);
            // It has refused, and it is us who do not read on.
            assertThat(fixture.post(server.url("/refused"))).isEqualTo(new Failed(OutcomeCode.REFUSED, 404));
            await().untilAsserted(() -> assertThat(server.openConnections()).isLessThanOrEqualTo(1));
            assertThat(server.requests()).hasSize(5);
        }
    }

    /** A head that refuses, and then no end: as little an answer as a success without one. */
    @ParameterizedTest
    @Tag("AT-4")
    @ValueSource(strings = {"301 Moved", "404 Not Found", "410 Gone"})
    void aRefusalWithoutItsEndIsUncertain(String line) throws Exception {
        int status = Integer.parseInt(line.substring(0, 3));
        String head = "HTTP/1.1 " + line + "\r\n";
        String length = "Content-Length: 100\r\n\r\nhalf of it";
        Map<String, HostileServer.Behaviour> cuts = Map.of(
                "reset",
                        (request, to) -> {
                            to.say(head + length);
                            to.reset();
                        },
                "closed",
                        (request, to) -> {
                            to.say(head + length);
                            to.close();
                        },
                "in a chunk",
                        (request, to) -> {
                            to.say(head + "Transfer-Encoding: chunked\r\n\r\n5\r\nabc");
                            to.close();
                        },
                "large",
                        (request, to) -> {
                            to.say(head + "Content-Length: 100000\r\n\r\nhalf of it");
                            to.reset();
                        });
        for (var cut : cuts.entrySet()) {
            try (HostileServer server = new HostileServer(cut.getValue())) {
                // A reset may overtake the head.
                assertThat(fixture.post(server.url("/")))
                        .as(cut.getKey())
                        .isIn(
                                new Uncertain(OutcomeCode.CONNECTION_BROKEN, status, null),
                                new Uncertain(OutcomeCode.CONNECTION_BROKEN, null, null));
            }
        }
        try (HostileServer server = new HostileServer((request, to) -> {
            to.say(head + "Retry-After: 7\r\n" + length);
            to.hang();
        })) {
            assertThat(fixture.post(server.url("/"), TransportFixture.SHORT))
                    .isEqualTo(new Uncertain(OutcomeCode.TIMEOUT, status, new RetryAfter.Seconds(7)));
        }
        try (HostileServer server = new HostileServer((request, to) -> {
            to.say(head + "Content-Length: +4\r\n\r\nfine");
            to.close();
        })) {
            assertThat(fixture.post(server.url("/"))).isEqualTo(new Uncertain(OutcomeCode.INVALID_ACK, status, null));
        }
    }

    @Test
    @Tag("HT-1")
    void compressedAnswersAreNeverInflated() throws Exception {
        ByteArrayOutputStream bomb = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bomb)) {
            gzip.write(ACK.getBytes(UTF_8));
            gzip.write(new byte[4_000_000]);
        }
        assertThat(bomb.size()).isLessThan(Answer.CAP);
        try (HostileServer server = new HostileServer((request, line) -> {
            line.say("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " + bomb.size() + "\r\n\r\n");
            line.say(bomb.toByteArray());
        })) {
            assertThat(fixture.post(receipt(server.url("/"))))
                    .isEqualTo(new Uncertain(OutcomeCode.INVALID_ACK, 200, null));
            assertThat(server.requests().get(0).head()).doesNotContainIgnoringCase("accept-encoding");
        }
    }

    @Test
    @Tag("HT-2")
    void anAcknowledgementOfProfileReceiptIsReadAndKept() throws Exception {
        try (HostileServer server = new HostileServer((request, line) -> line.answer("202 Accepted", ACK))) {
            assertThat(fixture.post(receipt(server.url("/"))))
                    .isEqualTo(new Acknowledged(
                            202, new Receipt(true, 1, 0, "app", List.of(new Receipt.Result("shop", "app", "7")))));
        }
    }

    @Test
    @Tag("HT-2")
    void emptyAndMisframedSuccessesAcknowledgeNothing() throws Exception {
        try (HostileServer server = new HostileServer((request, line) -> {
            switch (request.path()) {
                case "/empty" -> line.say("HTTP/1.1 204 No Content\r\n\r\n");
                case "/misframed" -> line.say("HTTP/1.1 204 No Content\r\nContent-Length: 11\r\n\r\n{\"ok\":true}");
                default -> {
                    line.say("HTTP/1.1 200 OK\r\n\r\n" + ACK.substring(0, 20));
                    line.close();
                }
            }
        })) {
            assertThat(fixture.post(receipt(server.url("/empty"))))
                    .isEqualTo(new Uncertain(OutcomeCode.INVALID_ACK, 204, null));
            assertThat(fixture.post(server.url("/empty"))).isEqualTo(new Acknowledged(204, null));
            for (AckProfile ack : AckProfile.values()) {
                assertThat(fixture.post(fixture.outbound(server.url("/misframed"), TransportFixture.AMPLE, ack)))
                        .isEqualTo(new Uncertain(OutcomeCode.INVALID_ACK, 204, null));
            }
            assertThat(fixture.post(receipt(server.url("/cut-off"))))
                    .isEqualTo(new Uncertain(OutcomeCode.INVALID_ACK, 200, null));
        }
    }

    @Test
    @Tag("HT-2")
    void oddAcknowledgementsAreUncertainAndStopNobody() throws Exception {
        List<byte[]> odd = List.of(
                ACK.replace("true", "true,\"ok\":true").getBytes(UTF_8),
                (ACK + "x").getBytes(UTF_8),
                (ACK + ACK).getBytes(UTF_8),
                ACK.getBytes(UTF_16),
                ACK.replace("shop", "sh\u00f6p").getBytes(ISO_8859_1),
                ACK.replace("\"stored\":1", "\"stored\":" + "9".repeat(7_000)).getBytes(UTF_8),
                ACK.replace("\"stored\":1", "\"stored\":1e999999999").getBytes(UTF_8),
                ACK.replace("true,", "true,\"x\":" + "[".repeat(3_900) + "]".repeat(3_900) + ",")
                        .getBytes(UTF_8),
                "[".repeat(8_192).getBytes(UTF_8),
                "{\"a\":".repeat(1_300).getBytes(UTF_8),
                "\"".getBytes(UTF_8),
                new byte[8_192]);
        try (HostileServer server = new HostileServer((request, line) -> {
            byte[] body = odd.get(Integer.parseInt(request.path().substring(1)));
            line.say("HTTP/1.1 200 OK\r\nContent-Length: " + body.length + "\r\n\r\n");
            line.say(body);
        })) {
            for (int i = 0; i < odd.size(); i++) {
                assertThat(fixture.post(receipt(server.url("/" + i))))
                        .as("answer %d", i)
                        .isEqualTo(new Uncertain(OutcomeCode.INVALID_ACK, 200, null));
            }
        }
    }

    /** A name that leads elsewhere when asked again: it is not asked again between the judging and the dialling. */
    @Test
    @Tag("HT-4")
    void whatIsDialledIsWhatWasJudged() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        try (HostileServer server = new HostileServer((request, line) -> line.answer("200 OK", ""));
                TransportFixture f = new TransportFixture(
                        host -> new InetAddress[] {IpText.parse(asked.incrementAndGet() == 1 ? "127.0.0.1" : "10.0.0.1")
                        },
                        SSLContext.getDefault(),
                        4)) {
            URI url = URI.create("http://rebound.test:" + server.port() + "/");
            assertThat(f.post(url)).isEqualTo(new Acknowledged(200, null));
            assertThat(asked).hasValue(1);
            f.clock.advance(Duration.ofMinutes(2));
            assertThat(f.post(url)).isEqualTo(new Forbidden());
            assertThat(server.requests()).hasSize(1);
        }
    }

    @ParameterizedTest
    @Tag("HT-1")
    @Tag("AT-4")
    @CsvSource({
        "301, REDIRECT",
        "302, REDIRECT",
        "307, REDIRECT",
        "308, REDIRECT",
        "400, REFUSED",
        "401, REFUSED",
        "404, REFUSED",
        "407, REFUSED",
        "410, GONE",
        "451, REFUSED"
    })
    void definiteRefusalsFailAfterOneRequest(int status, OutcomeCode code) throws Exception {
        try (HostileServer server = new HostileServer(
                (request, line) -> line.say(
                        "HTTP/1.1 " + status
                                + " X\r\nLocation: /login\r\nWWW-Authenticate: Basic\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n"))) {
            assertThat(fixture.post(server.url("/"))).isEqualTo(new Failed(code, status));
            assertThat(fixture.post(server.url("/"))).isEqualTo(new Failed(code, status));

            assertThat(server.requests()).hasSize(2).allMatch(r -> r.head().startsWith("POST / "));
            assertThat(server.requests()).noneMatch(r -> r.head().contains("ookie"));
        }
    }

    @ParameterizedTest
    @Tag("AT-4")
    @Tag("AT-6")
    @CsvSource({"408, TIMEOUT", "429, RATE_LIMITED", "500, SERVER_ERROR", "503, SERVER_ERROR", "599, SERVER_ERROR"})
    void passingTroubleIsUncertainAndNotRepeated(int status, OutcomeCode code) throws Exception {
        try (HostileServer server = new HostileServer((request, line) -> line.say("HTTP/1.1 " + status
                + " X\r\nRetry-After: 1\r\nRetry-After: 90\r\nretry-after: -3\r\nContent-Length: 0\r\n\r\n"))) {
            assertThat(fixture.post(server.url("/")))
                    .isEqualTo(new Uncertain(code, status, new RetryAfter.Seconds(90)));
            assertThat(server.requests()).hasSize(1);
        }
    }

    @Test
    @Tag("HT-1")
    void aDeadKeptConnectionNeverMakesARequestArriveTwice() throws Exception {
        try (HostileServer server = new HostileServer((request, line) -> {
            line.answer("200 OK", "");
            line.close();
        })) {
            int acknowledged = 0;
            for (int i = 0; i < 200; i++) {
                SendResult result = fixture.post(server.url("/" + i));
                if (result instanceof Acknowledged) {
                    acknowledged++;
                } else {
                    assertThat(result).isEqualTo(new Uncertain(OutcomeCode.CONNECTION_BROKEN, null, null));
                }
            }
            assertThat(server.requests().stream().map(Request::path)).doesNotHaveDuplicates();
            assertThat(acknowledged).isEqualTo(server.requests().size()).isGreaterThan(100);
        }
    }

    @Test
    @Tag("HT-1")
    void earlyHintsAreNoAnswer() throws Exception {
        try (HostileServer server = new HostileServer((request, line) -> {
            line.say("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n".repeat(1_000));
            line.answer("200 OK", ACK);
        })) {
            assertThat(fixture.post(receipt(server.url("/")))).isInstanceOf(Acknowledged.class);
        }
    }

    @Test
    @Tag("HT-3")
    void aMalformedStoredBodyIsNeverSentForAReceipt() throws Exception {
        try (HostileServer server = new HostileServer((request, line) -> line.answer("200 OK", ACK))) {
            for (String body : List.of("", "{}", "{\"events\":[]}", "{\"appId\":7}", "{\"appId\":\"a\"} x")) {
                Outbound outbound = new Outbound(
                        server.url("/"),
                        Map.of(),
                        body.getBytes(UTF_8),
                        TransportFixture.AMPLE,
                        fixture.clock.nanos() + TransportFixture.AMPLE.toNanos(),
                        AckProfile.RECEIPT);
                assertThat(fixture.post(outbound)).isEqualTo(new Failed(OutcomeCode.MALFORMED_PAYLOAD, null));
            }
            assertThat(server.accepted()).isZero();
        }
    }

    @Test
    @Tag("AT-3")
    void afterTheSendByDeadlineNoByteLeaves() throws Exception {
        try (HostileServer server = new HostileServer((request, line) -> line.answer("200 OK", ""))) {
            Outbound late = new Outbound(
                    server.url("/late"),
                    Map.of(),
                    TransportFixture.BODY,
                    TransportFixture.AMPLE,
                    fixture.clock.nanos(),
                    AckProfile.STATUS);
            assertThat(fixture.post(late)).isEqualTo(new NotStarted());
            assertThat(server.accepted()).isZero();
        }
    }

    /**
     * The clock jumps while the name is looked up, as it does for a process that was suspended there: a kept connection
     * gets no byte, and where there is none, none is made and nobody is blamed for it.
     */
    @Test
    @Tag("AT-3")
    void theSendByDeadlineIsCheckedImmediatelyBeforeTheFirstByte() throws Exception {
        AtomicBoolean suspended = new AtomicBoolean();
        TransportFixture[] sender = new TransportFixture[1];
        try (HostileServer server = new HostileServer((request, line) -> line.answer("200 OK", ""));
                TransportFixture f = new TransportFixture(
                        host -> {
                            if (suspended.get()) {
                                sender[0].clock.advance(TransportFixture.AMPLE);
                            }
                            return new InetAddress[] {InetAddress.getLoopbackAddress()};
                        },
                        SSLContext.getDefault(),
                        4)) {
            sender[0] = f;
            URI known = URI.create("http://known.test:" + server.port() + "/");
            URI unknown = URI.create("http://unknown.test:" + server.port() + "/");
            assertThat(f.post(known)).isEqualTo(new Acknowledged(200, null));

            f.clock.advance(Duration.ofMinutes(2)); // names are asked for again
            suspended.set(true);
            assertThat(f.post(known)).isEqualTo(new NotStarted());
            assertThat(f.post(unknown)).isEqualTo(new NotStarted());
            assertThat(server.accepted()).isEqualTo(1);

            suspended.set(false);
            assertThat(f.post(unknown)).isEqualTo(new Acknowledged(200, null));
            assertThat(server.requests()).hasSize(2);
        }
    }

    /** Its own lookup is the receiver's affair; waiting for a thread that looks names up is ours. */
    @Test
    @Tag("AT-3")
    @Tag("HT-5")
    void whoWaitsBehindOtherLookupsWasNotStarted() throws Exception {
        CompletableFuture<Void> never = new CompletableFuture<>();
        try (TransportFixture f = new TransportFixture(
                host -> {
                    never.join();
                    return new InetAddress[] {InetAddress.getLoopbackAddress()};
                },
                SSLContext.getDefault(),
                4)) {
            List<CompletableFuture<Lookup>> lookups = new ArrayList<>();
            // Eight that run, more than may turn slow, and one that waits whatever becomes of those.
            for (int i = 0; i < 80; i++) {
                lookups.add(f.guard.permitted(Destination.parse("http://hang" + i + ".test/")));
            }
            assertThat(f.post(URI.create("http://hang0.test/"), TransportFixture.SHORT))
                    .isEqualTo(new NotSent(OutcomeCode.NAME_NOT_RESOLVED));
            assertThat(f.post(URI.create("http://waits.test/"), TransportFixture.SHORT))
                    .isEqualTo(new NotStarted());
            assertThat(lookups).noneMatch(CompletableFuture::isDone);
        } finally {
            never.complete(null);
        }
    }

    @Test
    @Tag("AT-3")
    void whoGetsNoConnectionWasNotStarted() throws Exception {
        try (HostileServer server = new HostileServer((request, line) -> line.hang());
                TransportFixture f = new TransportFixture(host -> new InetAddress[0], SSLContext.getDefault(), 1)) {
            CompletableFuture<SendResult> first =
                    f.transport.send(f.outbound(server.url("/1"), TransportFixture.AMPLE, AckProfile.STATUS));
            await().until(() -> server.requests().size() == 1);

            assertThat(f.post(server.url("/2"), TransportFixture.SHORT)).isEqualTo(new NotStarted());
            assertThat(first).isNotDone();
            f.transport.close();
            assertThat(first.get(10, TimeUnit.SECONDS))
                    .isEqualTo(new Uncertain(OutcomeCode.CONNECTION_BROKEN, null, null));
            assertThat(server.requests()).hasSize(1);
        }
    }

    @Test
    @Tag("HT-4")
    void privateAddressesAreRefusedWhereTheyWouldBeConnectedTo() throws Exception {
        InetAddress open = IpText.parse("8.8.8.8");
        InetAddress metadata = IpText.parse("169.254.169.254");
        try (TransportFixture f = new TransportFixture(
                host -> host.equals("mixed.test") ? new InetAddress[] {open, metadata} : new InetAddress[] {metadata},
                SSLContext.getDefault(),
                4)) {
            for (String url : List.of(
                    "http://mixed.test/",
                    "http://private.test/",
                    "http://10.0.0.5/",
                    "http://[::ffff:a9fe:a9fe]/h",
                    "http://[::1]/",
                    "http://example.test:pw@10.0.0.5/h",
                    "http://127.1/",
                    "ftp://example.test/")) {
                assertThat(f.post(URI.create(url))).as(url).isEqualTo(new Forbidden());
            }
            assertThat(f.transport.openConnections()).isZero();
        }
    }

    @Test
    void whenOneAddressIsDeadTheNextIsTried() throws Exception {
        try (HostileServer server = new HostileServer((request, line) -> line.answer("200 OK", ""));
                TransportFixture f = new TransportFixture(
                        host -> new InetAddress[] {IpText.parse("127.0.0.9"), IpText.parse("127.0.0.1")},
                        SSLContext.getDefault(),
                        4)) {
            assertThat(f.post(URI.create("http://two.test:" + server.port() + "/")))
                    .isEqualTo(new Acknowledged(200, null));
        }
    }

    @Test
    void manyAtOnceEachArriveOnceAndNothingIsLeftOpen() throws Exception {
        try (HostileServer server = new HostileServer((request, line) -> {
            switch (Integer.parseInt(request.path().substring(1)) % 4) {
                case 0 -> line.answer("200 OK", "fine");
                case 1 -> line.reset();
                case 2 -> line.answer("503 Busy", "");
                default -> line.hang();
            }
        })) {
            List<CompletableFuture<SendResult>> results = new ArrayList<>();
            for (int i = 0; i < 400; i++) {
                results.add(fixture.transport.send(
                        fixture.outbound(server.url("/" + i), Duration.ofSeconds(2), AckProfile.STATUS)));
            }
            CompletableFuture.allOf(results.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);

            assertThat(server.requests().stream().map(Request::path)).doesNotHaveDuplicates();
            long sent = results.stream()
                    .map(CompletableFuture::join)
                    .filter(result -> !(result instanceof NotStarted))
                    .count();
            assertThat(sent).isGreaterThanOrEqualTo(server.requests().size());
            await().untilAsserted(() -> assertThat(server.openConnections()).isZero());
        }
    }

    @Test
    void closingEndsEveryThread() throws Exception {
        TransportFixture f = new TransportFixture();
        try (HostileServer server = new HostileServer((request, line) -> line.answer("200 OK", ""))) {
            f.post(server.url("/"));
        }
        List<Thread> threads = transportThreads();
        assertThat(threads).isNotEmpty();
        fixture.close();
        f.close();

        await().untilAsserted(() -> assertThat(threads).noneMatch(Thread::isAlive));
        assertThat(f.post(URI.create("http://127.0.0.1:9/"))).isEqualTo(new NotStarted());
    }

    private static List<Thread> transportThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("ringfence-http"))
                .toList();
    }

    private Outbound receipt(URI url) throws IOException {
        return fixture.outbound(url, TransportFixture.AMPLE, AckProfile.RECEIPT);
    }
}
