package dev.ringfence.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ringfence.transport.HostileServer.Line;
import dev.ringfence.transport.SendResult.Acknowledged;
import dev.ringfence.transport.SendResult.Forbidden;
import dev.ringfence.transport.SendResult.NotSent;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Everything leaves through tunnels of a proxy. */
@Timeout(120)
@Tag("HT-4")
class ProxyTest {
    private static final Acknowledged ACKNOWLEDGED = new Acknowledged(200, null);
    private static final NotSent FAILED = new NotSent(OutcomeCode.PROXY_FAILED);

    @TempDir
    static Path directory;

    private final List<String> heads = new CopyOnWriteArrayList<>();

    /** Makes the tunnel that is asked for. */
    private HostileServer proxy() throws IOException {
        return HostileServer.meeting(line -> {
            String head = line.head();
            heads.add(head);
            String target = head.split(" ")[1];
            int colon = target.lastIndexOf(':');
            try (Socket far = new Socket(target.substring(0, colon), Integer.parseInt(target.substring(colon + 1)))) {
                line.say("HTTP/1.1 200 Connection established\r\n\r\n");
                line.relay(far);
            }
        });
    }

    private static TransportFixture fixture(HostileServer proxy, SSLContext tls) throws Exception {
        return fixture("http://us%40er:p%3Ass@127.0.0.1:" + proxy.port(), tls);
    }

    private static TransportFixture fixture(String proxy, SSLContext tls) {
        return new TransportFixture(
                host -> new InetAddress[] {
                    host.equals("private.test") ? IpText.parse("10.0.0.1") : InetAddress.getLoopbackAddress()
                },
                tls,
                8,
                EgressProxy.parse(proxy));
    }

    @Test
    void theTunnelLeadsToTheJudgedAddressAndIsKept() throws Exception {
        try (HostileServer receiver = new HostileServer((request, line) -> line.answer("200 OK", ""));
                HostileServer proxy = proxy();
                TransportFixture fixture = fixture(proxy, SSLContext.getDefault())) {
            URI url = URI.create("http://right.test:" + receiver.port() + "/in");
            assertThat(fixture.post(url)).isEqualTo(ACKNOWLEDGED);
            assertThat(fixture.post(url)).isEqualTo(ACKNOWLEDGED);

            String target = "127.0.0.1:" + receiver.port();
            assertThat(heads).hasSize(1);
            assertThat(heads.get(0).strip().lines().toList())
                    .containsExactlyInAnyOrder(
                            "CONNECT " + target + " HTTP/1.1",
                            "Host: " + target,
                            "User-Agent: " + RequestMessage.USER_AGENT,
                            "Proxy-Authorization: Basic dXNAZXI6cDpzcw==");
            assertThat(receiver.requests())
                    .hasSize(2)
                    .allMatch(r -> r.lines().contains("Host: right.test:" + receiver.port()))
                    .allMatch(r -> r.head().startsWith("POST /in HTTP/1.1"))
                    .noneMatch(r -> r.head().contains("Proxy-"));
        }
    }

    @Test
    void throughTheTunnelTheNameIsChecked() throws Exception {
        Pair pair = Pair.make(directory, "dns:right.test", "EC");
        List<String> names = new CopyOnWriteArrayList<>();
        try (HostileServer receiver = new HostileServer(pair.trusting().getServerSocketFactory(), (request, line) -> {
                    names.add(line.serverName());
                    line.answer("200 OK", "");
                });
                HostileServer proxy = proxy();
                TransportFixture fixture = fixture(proxy, pair.trusting(pair))) {
            assertThat(fixture.post(URI.create("https://right.test:" + receiver.port() + "/")))
                    .isEqualTo(ACKNOWLEDGED);
            assertThat(fixture.post(URI.create("https://right.test:" + receiver.port() + "/")))
                    .isEqualTo(ACKNOWLEDGED);
            assertThat(fixture.post(URI.create("https://wrong.test:" + receiver.port() + "/")))
                    .isEqualTo(new NotSent(OutcomeCode.TLS_FAILED));
            assertThat(names).containsOnly("right.test");
            assertThat(receiver.requests()).hasSize(2);
        }
    }

    @Test
    void whatTheGuardForbidsNeverReachesTheProxy() throws Exception {
        try (HostileServer proxy = proxy();
                TransportFixture fixture = fixture(proxy, SSLContext.getDefault())) {
            assertThat(fixture.post(URI.create("http://private.test/"))).isEqualTo(new Forbidden());
            assertThat(fixture.post(URI.create("http://10.0.0.1/"))).isEqualTo(new Forbidden());
            assertThat(proxy.accepted()).isZero();
        }
    }

    @ParameterizedTest
    @Tag("AT-4")
    @ValueSource(
            strings = {
                "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 2\r\n\r\nno",
                "HTTP/1.1 403 Forbidden\r\n\r\nno",
                "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200",
                "SSH-2.0-x\r\n\r\n",
                ""
            })
    void aTunnelThatIsNotMadeProvesThatNothingWasSent(String answer) throws Exception {
        try (HostileServer receiver = new HostileServer((request, line) -> line.answer("200 OK", ""));
                HostileServer proxy = HostileServer.meeting(line -> {
                    heads.add(line.head());
                    line.say(answer);
                    line.close();
                });
                TransportFixture fixture = fixture(proxy, SSLContext.getDefault())) {
            assertThat(fixture.post(receiver.url("/"))).isEqualTo(FAILED);
            assertThat(heads).hasSize(1);
            assertThat(receiver.accepted()).isZero();
            await().until(() -> fixture.transport.openConnections() == 0);
        }
    }

    @Test
    @Tag("AT-4")
    void aProxyThatIsSilentOrAbsentProvesThatNothingWasSent() throws Exception {
        int nobody;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = socket.getLocalPort();
        }
        try (HostileServer receiver = new HostileServer((request, line) -> line.answer("200 OK", ""));
                HostileServer silent = HostileServer.meeting(Line::hang);
                TransportFixture waiting = fixture(silent, SSLContext.getDefault());
                TransportFixture absent = fixture("http://127.0.0.1:" + nobody, SSLContext.getDefault())) {
            assertThat(waiting.post(receiver.url("/"), TransportFixture.SHORT)).isEqualTo(FAILED);
            assertThat(absent.post(receiver.url("/"))).isEqualTo(FAILED);
            assertThat(receiver.accepted()).isZero();
        }
    }

    /** What the proxy says after it made the tunnel does not come from the receiver. */
    @Test
    void whatTheProxyAddsIsNoAnswer() throws Exception {
        try (HostileServer receiver = new HostileServer((request, line) -> line.answer("503 Busy", ""));
                HostileServer proxy = HostileServer.meeting(line -> {
                    line.head();
                    line.say("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
                    line.hang();
                });
                TransportFixture fixture = fixture(proxy, SSLContext.getDefault())) {
            assertThat(fixture.post(receiver.url("/"))).isEqualTo(FAILED);
            assertThat(receiver.accepted()).isZero();
        }
    }

    @Test
    @Tag("SC-2")
    void itsCredentialsAreNeverShown() {
        assertThat(EgressProxy.parse("http://canary:canary@proxy.test:3128").toString())
                .isEqualTo("EgressProxy[proxy.test:3128]");
    }
}
