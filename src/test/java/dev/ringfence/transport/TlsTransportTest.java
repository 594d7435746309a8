package dev.ringfence.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ringfence.transport.SendResult.Acknowledged;
import dev.ringfence.transport.SendResult.NotSent;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
@Tag("HT-4")
class TlsTransportTest {
    @TempDir
    static Path directory;

    private static SSLContext tls;

    @BeforeAll
    static void certificate() throws Exception {
        tls = TestCertificates.selfSigned(directory, "dns:right.test");
    }

    @Test
    void theJudgedAddressIsDialledAndTheNameIsChecked() throws Exception {
        List<String> hosts = new CopyOnWriteArrayList<>();
        try (HostileServer server = new HostileServer(tls.getServerSocketFactory(), (request, line) -> {
                    hosts.add(line.serverName());
                    line.answer("200 OK", "");
                });
                TransportFixture fixture = fixture()) {
            String port = ":" + server.port() + "/";

            for (int i = 0; i < 3; i++) {
                assertThat(fixture.post(URI.create("https://right.test" + port)))
                        .isEqualTo(new Acknowledged(200, null));
            }
            assertThat(hosts).containsOnly("right.test");
            assertThat(server.requests())
                    .hasSize(3)
                    .allMatch(r -> r.lines().contains("Host: right.test:" + server.port()));
            assertThat(server.accepted()).isEqualTo(1);

            assertThat(fixture.post(URI.create("https://other.test" + port)))
                    .isEqualTo(new NotSent(OutcomeCode.TLS_FAILED));
            assertThat(fixture.post(URI.create("https://127.0.0.1" + port)))
                    .isEqualTo(new NotSent(OutcomeCode.TLS_FAILED));
            assertThat(server.requests()).hasSize(3);
            await().untilAsserted(() -> assertThat(server.openConnections()).isZero());
        }
    }

    @Test
    void aCertificateThatNobodyVouchesForIsRefused() throws Exception {
        try (HostileServer server =
                        new HostileServer(tls.getServerSocketFactory(), (request, line) -> line.answer("200 OK", ""));
                TransportFixture fixture = new TransportFixture(
                        host -> new InetAddress[] {InetAddress.getLoopbackAddress()}, SSLContext.getDefault(), 4)) {
            assertThat(fixture.post(URI.create("https://right.test:" + server.port() + "/")))
                    .isEqualTo(new NotSent(OutcomeCode.TLS_FAILED));
            assertThat(server.requests()).isEmpty();
        }
    }

    @Test
    void aReceiverThatNeverShakesHandsIsLeftAtTheDeadline() throws Exception {
        try (HostileServer server = new HostileServer((request, line) -> line.answer("200 OK", ""));
                TransportFixture fixture = fixture()) {
            // A server without TLS waits for the end of a head that never comes.
            assertThat(fixture.post(URI.create("https://right.test:" + server.port() + "/"), TransportFixture.SHORT))
                    .isEqualTo(new NotSent(OutcomeCode.TLS_FAILED));
            await().untilAsserted(() -> assertThat(server.openConnections()).isZero());
        }
    }

    private enum Ending {
        CLOSE,
        RESET,
        SILENCE;

        void end(HostileServer.Line line) throws IOException {
            switch (this) {
                case CLOSE -> line.close();
                case RESET -> line.reset();
                case SILENCE -> line.hang();
            }
        }
    }

    /** A real server's side of the handshake, cut off. */
    @ParameterizedTest
    @EnumSource
    @Tag("AT-4")
    void halfAHandshakeProvesThatNothingWasSent(Ending ending) throws Exception {
        try (HostileServer server =
                        new HostileServer(tls.getServerSocketFactory(), (request, line) -> line.answer("200 OK", ""));
                TransportFixture fixture = fixture()) {
            Map<HostileServer, CompletableFuture<SendResult>> halves = new LinkedHashMap<>();
            for (int bytes : new int[] {0, 1, 5, 60, 200, 400}) {
                HostileServer half = HostileServer.meeting(line -> {
                    try (Socket far = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
                        far.getOutputStream().write(line.hearRecord());
                        line.say(far.getInputStream().readNBytes(bytes));
                        ending.end(line);
                    }
                });
                URI url = URI.create("https://right.test:" + half.port() + "/");
                halves.put(
                        half, fixture.transport.send(fixture.outbound(url, Duration.ofSeconds(4), AckProfile.STATUS)));
            }
            for (var half : halves.entrySet()) {
                assertThat(half.getValue().get(30, TimeUnit.SECONDS))
                        .as("the %s of them", List.copyOf(halves.keySet()).indexOf(half.getKey()))
                        .isEqualTo(new NotSent(OutcomeCode.TLS_FAILED));
                await().untilAsserted(() ->
                        assertThat(half.getKey().openConnections()).isZero());
                half.getKey().close();
            }
            assertThat(server.requests()).isEmpty();
            await().untilAsserted(() ->
                    assertThat(fixture.transport.openConnections()).isZero());
        }
    }

    @ParameterizedTest
    @Tag("AT-4")
    @ValueSource(
            strings = {
                "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
                "\u0015\u0003\u0003\u0000\u0002\u0002\u0028",
                "\u0016\u0003\u0003\u0000\u0004\u000e\u0000\u0000\u0000",
                "\u0017\u0003\u0003\u0000\u0001x",
                "\u0016\u0003\u0003\u00ff\u00ff"
            })
    void whatIsNoHandshakeProvesThatNothingWasSent(String answer) throws Exception {
        try (HostileServer server = HostileServer.meeting(line -> {
                    line.hearRecord();
                    line.say(answer);
                    line.hang();
                });
                TransportFixture fixture = fixture()) {
            assertThat(fixture.post(URI.create("https://right.test:" + server.port() + "/"), Duration.ofSeconds(4)))
                    .isEqualTo(new NotSent(OutcomeCode.TLS_FAILED));
            await().untilAsserted(() -> assertThat(server.openConnections()).isZero());
        }
    }

    @Test
    @Tag("HT-1")
    void whatFollowsAnAnswerIsNotTheNextOnes() throws Exception {
        try (HostileServer server = new HostileServer(tls.getServerSocketFactory(), (request, line) -> {
                    if (request.path().equals("/1")) {
                        line.say(
                                "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n");
                    } else {
                        line.say("\r\nHTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
                    }
                });
                TransportFixture fixture = fixture()) {
            String start = "https://right.test:" + server.port();
            assertThat(fixture.post(URI.create(start + "/1"))).isEqualTo(new Acknowledged(200, null));
            SendResult second = fixture.post(URI.create(start + "/2"));
            assertThat(second).isNotInstanceOf(Acknowledged.class);
            assertThat(server.requests()).hasSize(2);
            assertThat(server.accepted()).isEqualTo(2);
        }
    }

    private static TransportFixture fixture() {
        return new TransportFixture(host -> new InetAddress[] {InetAddress.getLoopbackAddress()}, tls, 16);
    }
}
