package dev.ringfence.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ringfence.transport.SendResult.Acknowledged;
import dev.ringfence.transport.SendResult.NotSent;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

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

    private static TransportFixture fixture() {
        return new TransportFixture(host -> new InetAddress[] {InetAddress.getLoopbackAddress()}, tls, 4);
    }
}
