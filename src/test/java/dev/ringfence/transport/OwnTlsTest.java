package dev.ringfence.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ringfence.transport.SendResult.Acknowledged;
import dev.ringfence.transport.SendResult.NotSent;
import dev.ringfence.transport.SendResult.Uncertain;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ServerSocketFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Requests that trust an authority of their own, or show a certificate. */
@Timeout(120)
@Tag("SB-1")
class OwnTlsTest {
    @TempDir
    static Path directory;

    private static Pair server;
    private static Pair client;
    private static Pair stranger;
    private static Pair expired;

    private TransportFixture fixture;

    @BeforeAll
    static void certificates() throws Exception {
        server = Pair.make(directory, "dns:right.test", "EC");
        client = Pair.make(directory, "dns:client.test", "EC");
        stranger = Pair.make(directory, "dns:right.test", "EC");
        expired = Pair.make(directory, "dns:client.test", "EC", "-startdate", "-3d", "-validity", "1");
    }

    @BeforeEach
    void start() throws Exception {
        fixture = new TransportFixture(
                host -> new InetAddress[] {InetAddress.getLoopbackAddress()}, SSLContext.getDefault(), 8);
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    @Test
    void anAuthorityOfItsOwnIsTrustedInsteadOfTheServers() throws Exception {
        try (HostileServer receiver =
                receiver(server.trusting().getServerSocketFactory(), new CopyOnWriteArrayList<>())) {
            assertThat(post(receiver, TlsMaterial.NONE)).isEqualTo(new NotSent(OutcomeCode.TLS_FAILED));
            assertThat(post(receiver, new TlsMaterial(stranger.certificatePem(), null, null)))
                    .isEqualTo(new NotSent(OutcomeCode.TLS_FAILED));
            assertThat(receiver.requests()).isEmpty();

            TlsMaterial right = new TlsMaterial(stranger.certificatePem() + server.certificatePem(), null, null);
            assertThat(post(receiver, right)).isEqualTo(new Acknowledged(200, null));
        }
    }

    @Test
    void theNameIsCheckedWhoeverIsTrusted() throws Exception {
        try (HostileServer receiver =
                receiver(server.trusting().getServerSocketFactory(), new CopyOnWriteArrayList<>())) {
            TlsMaterial trust = new TlsMaterial(server.certificatePem(), null, null);
            Outbound outbound = outbound(URI.create("https://wrong.test:" + receiver.port() + "/"), trust);
            assertThat(fixture.post(outbound)).isEqualTo(new NotSent(OutcomeCode.TLS_FAILED));
            assertThat(receiver.requests()).isEmpty();
        }
    }

    @Test
    void aReceiverThatAsksForACertificateGetsIt() throws Exception {
        List<Principal> callers = new CopyOnWriteArrayList<>();
        try (HostileServer receiver = receiver(asking(client), callers)) {
            assertThat(post(receiver, own(client))).isEqualTo(new Acknowledged(200, null));
            assertThat(callers).containsExactly(client.certificate().getSubjectX500Principal());
        }
    }

    /** With TLS 1.3 the receiver refuses after the client may have sent: then nobody knows. */
    @Test
    void withoutTheRightCertificateNothingIsAcknowledged() throws Exception {
        try (HostileServer receiver = receiver(asking(client), new CopyOnWriteArrayList<>())) {
            for (TlsMaterial wrong : List.of(new TlsMaterial(server.certificatePem(), null, null), own(stranger))) {
                assertThat(post(receiver, wrong))
                        .isIn(
                                new NotSent(OutcomeCode.TLS_FAILED),
                                new Uncertain(OutcomeCode.CONNECTION_BROKEN, null, null));
            }
            assertThat(receiver.requests()).isEmpty();
        }
    }

    @Test
    void aCertificateThatHasExpiredIsNotShown() throws Exception {
        try (HostileServer receiver = receiver(asking(expired), new CopyOnWriteArrayList<>())) {
            assertThat(post(receiver, own(expired))).isEqualTo(new NotSent(OutcomeCode.TLS_FAILED));
            assertThat(receiver.accepted()).isZero();
        }
    }

    @Test
    void connectionsAreSharedByEqualMaterialOnly() throws Exception {
        try (HostileServer receiver = receiver(asking(client, stranger), new CopyOnWriteArrayList<>())) {
            assertThat(post(receiver, own(client))).isEqualTo(new Acknowledged(200, null));
            assertThat(post(receiver, own(client))).isEqualTo(new Acknowledged(200, null));
            assertThat(receiver.accepted()).isEqualTo(1);
            assertThat(post(receiver, own(stranger))).isEqualTo(new Acknowledged(200, null));
            assertThat(receiver.accepted()).isEqualTo(2);
        }
    }

    @Test
    @Tag("SC-2")
    void keysThatNobodyUsesAreForgotten() throws Exception {
        try (HostileServer receiver = receiver(asking(client), new CopyOnWriteArrayList<>())) {
            assertThat(post(receiver, own(client))).isEqualTo(new Acknowledged(200, null));
            assertThat(fixture.transport.remembered()).isEqualTo(1);
            fixture.clock.advance(Duration.ofMinutes(11));
            await().until(() -> fixture.transport.remembered() == 0);
        }
    }

    private SendResult post(HostileServer receiver, TlsMaterial tls) throws Exception {
        return fixture.post(outbound(URI.create("https://right.test:" + receiver.port() + "/"), tls));
    }

    private Outbound outbound(URI url, TlsMaterial tls) {
        return new Outbound(
                url,
                Map.of(),
                TransportFixture.BODY,
                TransportFixture.AMPLE,
                fixture.clock.nanos() + TransportFixture.AMPLE.toNanos(),
                AckProfile.STATUS,
                tls,
                null);
    }

    /** Trusts the receiver, and shows this certificate. */
    private static TlsMaterial own(Pair pair) throws Exception {
        return new TlsMaterial(server.certificatePem(), pair.certificatePem(), pair.keyPem());
    }

    private static HostileServer receiver(ServerSocketFactory sockets, List<Principal> callers) throws IOException {
        return new HostileServer(sockets, (request, line) -> {
            line.peer().ifPresent(callers::add);
            line.answer("200 OK", "");
        });
    }

    private static ServerSocketFactory asking(Pair... trusted) throws Exception {
        ServerSocketFactory sockets = server.trusting(trusted).getServerSocketFactory();
        return new ServerSocketFactory() {
            @Override
            public ServerSocket createServerSocket(int port, int backlog, InetAddress address) throws IOException {
                SSLServerSocket socket = (SSLServerSocket) sockets.createServerSocket(port, backlog, address);
                socket.setNeedClientAuth(true);
                return socket;
            }

            @Override
            public ServerSocket createServerSocket(int port) {
                throw new UnsupportedOperationException();
            }

            @Override
            public ServerSocket createServerSocket(int port, int backlog) {
                throw new UnsupportedOperationException();
            }
        };
    }
}
