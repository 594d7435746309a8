package dev.ringfence.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ringfence.transport.HostileServer.Behaviour;
import dev.ringfence.transport.HostileServer.Request;
import dev.ringfence.transport.SendResult.Acknowledged;
import dev.ringfence.transport.SendResult.Failed;
import dev.ringfence.transport.SendResult.NotSent;
import dev.ringfence.transport.SendResult.Uncertain;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Receivers that want a token of an authorization server. */
@Timeout(120)
@Tag("HT-1")
class OAuthTest {
    private static final Acknowledged ACKNOWLEDGED = new Acknowledged(200, null);
    private static final NotSent UNAVAILABLE = new NotSent(OutcomeCode.TOKEN_UNAVAILABLE);

    private final AtomicInteger issued = new AtomicInteger();
    private TransportFixture fixture;

    @BeforeEach
    void start() throws Exception {
        fixture = new TransportFixture();
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    @Test
    void theTokenIsAskedForOnceAndCarried() throws Exception {
        try (HostileServer issuer = issuer(3600);
                HostileServer receiver = receiver("200 OK")) {
            for (int i = 0; i < 5; i++) {
                assertThat(post(receiver, issuer)).isEqualTo(ACKNOWLEDGED);
            }
            assertThat(receiver.requests())
                    .hasSize(5)
                    .allMatch(r -> r.lines().contains("Authorization: Bearer token-1"));
            assertThat(issuer.requests()).hasSize(1);
            Request asked = issuer.requests().get(0);
            assertThat(new String(asked.body(), UTF_8)).isEqualTo("grant_type=client_credentials");
            assertThat(asked.lines())
                    .contains(
                            "Content-Type: application/x-www-form-urlencoded",
                            // the%3Aclient:s%26cret, RFC 6749, 2.3.1
                            "Authorization: Basic dGhlJTNBY2xpZW50OnMlMjZjcmV0");
        }
    }

    @Test
    void manyAtOnceShareOneQuestion() throws Exception {
        try (HostileServer issuer = issuer(3600);
                HostileServer receiver = receiver("200 OK")) {
            List<CompletableFuture<SendResult>> results = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                results.add(fixture.transport.send(outbound(receiver, issuer.url("/token"), TransportFixture.AMPLE)));
            }
            for (CompletableFuture<SendResult> result : results) {
                assertThat(result.get(60, TimeUnit.SECONDS)).isEqualTo(ACKNOWLEDGED);
            }
            assertThat(issuer.requests()).hasSize(1);
        }
    }

    @Test
    void anotherIsAskedForShortlyBeforeTheFirstExpires() throws Exception {
        try (HostileServer issuer = issuer(3600);
                HostileServer receiver = receiver("200 OK")) {
            assertThat(post(receiver, issuer)).isEqualTo(ACKNOWLEDGED);
            fixture.clock.advance(Duration.ofSeconds(3000));
            assertThat(post(receiver, issuer)).isEqualTo(ACKNOWLEDGED);
            assertThat(issuer.requests()).hasSize(1);
            fixture.clock.advance(Duration.ofSeconds(571));
            assertThat(post(receiver, issuer)).isEqualTo(ACKNOWLEDGED);
            assertThat(issuer.requests()).hasSize(2);
            assertThat(receiver.requests().get(2).lines()).contains("Authorization: Bearer token-2");
        }
    }

    @Test
    @Tag("AT-4")
    void withoutATokenNothingIsSent() throws Exception {
        String token = "{\"access_token\":\"t\",\"token_type\":\"Bearer\",\"expires_in\":60}";
        Map<String, Behaviour> issuers = Map.of(
                "an error", (request, line) -> line.answer("500 X", token),
                "a refusal", (request, line) -> line.answer("401 X", "{\"error\":\"invalid_client\"}"),
                "a redirect",
                        (request, line) -> line.say("HTTP/1.1 302 X\r\nLocation: /t\r\nContent-Length: 0\r\n\r\n"),
                "no JSON", (request, line) -> line.answer("200 OK", "t"),
                "two tokens", (request, line) -> line.answer("200 OK", token.replace("{", "{\"access_token\":\"u\",")),
                "another type", (request, line) -> line.answer("200 OK", token.replace("Bearer", "mac")),
                "a line break", (request, line) -> line.answer("200 OK", token.replace("\"t\"", "\"t\\r\\nX: y\"")),
                "no token", (request, line) -> line.answer("200 OK", token.replace("access_token", "id_token")),
                "too much", (request, line) -> line.answer("200 OK", token + " ".repeat(9_000)),
                "an end", (request, line) -> line.close());
        try (HostileServer receiver = receiver("200 OK")) {
            for (var one : issuers.entrySet()) {
                try (HostileServer issuer = new HostileServer(one.getValue())) {
                    assertThat(post(receiver, issuer)).as(one.getKey()).isEqualTo(UNAVAILABLE);
                    assertThat(issuer.requests()).as(one.getKey()).hasSize(1);
                }
            }
            assertThat(receiver.accepted()).isZero();
        }
    }

    @Test
    @Tag("AT-4")
    void waitingForATokenEndsAtTheDeadline() throws Exception {
        try (HostileServer issuer = new HostileServer((request, line) -> line.hang());
                HostileServer receiver = receiver("200 OK")) {
            assertThat(fixture.post(outbound(receiver, issuer.url("/token"), TransportFixture.SHORT)))
                    .isEqualTo(UNAVAILABLE);
            assertThat(receiver.accepted()).isZero();
        }
    }

    @Test
    @Tag("HT-4")
    void theAuthorizationServerIsBehindTheGuardToo() throws Exception {
        try (HostileServer receiver = receiver("200 OK")) {
            for (String url : List.of("http://10.0.0.1/token", "http://[::1]/token", "ftp://example.test/")) {
                assertThat(fixture.post(outbound(receiver, URI.create(url), TransportFixture.AMPLE)))
                        .isEqualTo(UNAVAILABLE);
            }
            assertThat(receiver.accepted()).isZero();
            assertThat(fixture.transport.openConnections()).isZero();
        }
    }

    /** Once, by the next attempt; if the receiver refuses the new one too, that is its answer. */
    @Test
    void aTokenThatTheReceiverRefusesIsReplacedOnce() throws Exception {
        try (HostileServer issuer = issuer(3600);
                HostileServer receiver = new HostileServer((request, line) -> line.answer(
                        request.head().contains("token-2") || request.head().contains("token-3")
                                ? "200 OK"
                                : "401 Unauthorized",
                        ""))) {
            assertThat(post(receiver, issuer)).isEqualTo(new Uncertain(OutcomeCode.TOKEN_REFUSED, 401, null));
            assertThat(receiver.requests()).hasSize(1);
            assertThat(post(receiver, issuer)).isEqualTo(ACKNOWLEDGED);
            assertThat(issuer.requests()).hasSize(2);
        }
        try (HostileServer issuer = issuer(3600);
                HostileServer receiver = receiver("401 Unauthorized")) {
            assertThat(post(receiver, issuer)).isEqualTo(new Uncertain(OutcomeCode.TOKEN_REFUSED, 401, null));
            assertThat(post(receiver, issuer)).isEqualTo(new Failed(OutcomeCode.REFUSED, 401));
            assertThat(receiver.requests()).hasSize(2);
        }
    }

    /** Two receivers of one client: what one refuses stays its own affair, and final however long the attempts are apart. */
    @Test
    @Tag("AT-4")
    @Tag("HT-5")
    void aRefusalIsOneReceiversAndIsNotForgotten() throws Exception {
        try (HostileServer issuer = issuer(86_400);
                HostileServer refusing = receiver("401 Unauthorized");
                HostileServer other = receiver("200 OK")) {
            assertThat(post(other, issuer)).isEqualTo(ACKNOWLEDGED);
            assertThat(post(refusing, issuer)).isEqualTo(new Uncertain(OutcomeCode.TOKEN_REFUSED, 401, null));
            assertThat(post(other, issuer)).isEqualTo(ACKNOWLEDGED);
            assertThat(other.requests()).allMatch(r -> r.lines().contains("Authorization: Bearer token-1"));

            fixture.clock.advance(Duration.ofHours(6));
            await().until(() -> fixture.transport.remembered() == 0);
            assertThat(post(refusing, issuer)).isEqualTo(new Failed(OutcomeCode.REFUSED, 401));
            assertThat(post(other, issuer)).isEqualTo(ACKNOWLEDGED);
        }
    }

    @Test
    @Tag("AT-6")
    void aRefusedTokenWaitsAsLongAsTheReceiverAsks() throws Exception {
        try (HostileServer issuer = issuer(3600);
                HostileServer receiver = new HostileServer((request, line) ->
                        line.say("HTTP/1.1 401 No\r\nRetry-After: 90\r\nContent-Length: 0\r\n\r\n"))) {
            assertThat(post(receiver, issuer))
                    .isEqualTo(new Uncertain(OutcomeCode.TOKEN_REFUSED, 401, new RetryAfter.Seconds(90)));
        }
    }

    @Test
    void whatFailedIsAskedAgainAfterAMoment() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        try (HostileServer issuer = new HostileServer((request, line) -> {
                    if (asked.incrementAndGet() == 1) {
                        line.answer("503 Busy", "");
                    } else {
                        line.answer("200 OK", token(60));
                    }
                });
                HostileServer receiver = receiver("200 OK")) {
            assertThat(post(receiver, issuer)).isEqualTo(UNAVAILABLE);
            fixture.clock.advance(Duration.ofSeconds(1));
            assertThat(post(receiver, issuer)).isEqualTo(ACKNOWLEDGED);
            assertThat(receiver.requests()).hasSize(1);
        }
    }

    @Test
    @Tag("SC-2")
    void whatNobodyUsesIsForgotten() throws Exception {
        try (HostileServer issuer = issuer(86_400);
                HostileServer receiver = receiver("200 OK")) {
            assertThat(post(receiver, issuer)).isEqualTo(ACKNOWLEDGED);
            assertThat(fixture.transport.remembered()).isEqualTo(1);
            fixture.clock.advance(Duration.ofMinutes(9));
            assertThat(post(receiver, issuer)).isEqualTo(ACKNOWLEDGED);
            assertThat(issuer.requests()).hasSize(1);
            fixture.clock.advance(Duration.ofMinutes(11));
            await().until(() -> fixture.transport.remembered() == 0);
        }
    }

    @Test
    @Tag("RD-1")
    void whoWaitsForATokenIsCancelledWithItsTenant() throws Exception {
        try (HostileServer issuer = new HostileServer((request, line) -> line.hang());
                HostileServer receiver = receiver("200 OK")) {
            CompletableFuture<SendResult> sent =
                    fixture.transport.send(outbound(receiver, issuer.url("/token"), TransportFixture.AMPLE));
            await().until(() -> issuer.requests().size() == 1);
            fixture.transport.cancel(sent);
            assertThat(sent.get(60, TimeUnit.SECONDS)).isEqualTo(new SendResult.Cancelled());
            assertThat(receiver.accepted()).isZero();
        }
    }

    /** Our own end is nobody's fault: such a reservation goes back. */
    @Test
    @Tag("AT-3")
    void whoWaitsForATokenWhenWeStopWasNotStarted() throws Exception {
        try (HostileServer issuer = new HostileServer((request, line) -> line.hang());
                HostileServer receiver = receiver("200 OK");
                TransportFixture small = new TransportFixture(TransportFixture::noName, SSLContext.getDefault(), 1)) {
            CompletableFuture<SendResult> holder = small.transport.send(
                    small.outbound(issuer.url("/held"), TransportFixture.AMPLE, AckProfile.STATUS));
            await().until(() -> issuer.requests().size() == 1);
            CompletableFuture<SendResult> waiting =
                    small.transport.send(outbound(receiver, issuer.url("/token"), TransportFixture.AMPLE));
            small.transport.close();
            assertThat(waiting.get(60, TimeUnit.SECONDS)).isEqualTo(new SendResult.NotStarted());
            assertThat(holder.get(60, TimeUnit.SECONDS)).isInstanceOf(Uncertain.class);
            assertThat(receiver.accepted()).isZero();
        }
    }

    @Test
    @Tag("SC-2")
    void secretsAreNeverShown() {
        OAuthClient client = new OAuthClient(URI.create("https://a.test/t?canary"), "canary", "canary");
        AccessToken token = new AccessToken("canary", 0, false);
        assertThat(client + " " + token + " "
                        + TokenAnswer.parse(token(60).replace("token", "canary").getBytes(UTF_8)))
                .doesNotContain("canary");
    }

    private HostileServer issuer(long seconds) throws IOException {
        issued.set(0);
        return new HostileServer((request, line) -> {
            issued.incrementAndGet();
            line.answer("200 OK", token(seconds));
        });
    }

    private String token(long seconds) {
        return "{\"access_token\":\"token-" + issued.get() + "\",\"token_type\":\"bearer\",\"expires_in\":" + seconds
                + ",\"scope\":\"x\"}";
    }

    private static HostileServer receiver(String status) throws IOException {
        return new HostileServer((request, line) -> line.answer(status, ""));
    }

    private SendResult post(HostileServer receiver, HostileServer issuer) throws Exception {
        return fixture.post(outbound(receiver, issuer.url("/token"), TransportFixture.AMPLE));
    }

    private Outbound outbound(HostileServer receiver, URI tokenUrl, Duration timeout) {
        return new Outbound(
                receiver.url("/in"),
                Map.of(),
                TransportFixture.BODY,
                timeout,
                fixture.clock.nanos() + timeout.toNanos(),
                AckProfile.STATUS,
                TlsMaterial.NONE,
                new OAuthClient(tokenUrl, "the:client", "s&cret"));
    }
}
