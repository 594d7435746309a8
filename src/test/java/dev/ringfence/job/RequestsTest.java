package dev.ringfence.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.reservation.Reserved;
import dev.ringfence.subscription.AccessTerms;
import dev.ringfence.subscription.BearerToken;
import dev.ringfence.subscription.CircuitRules;
import dev.ringfence.subscription.CircuitState;
import dev.ringfence.subscription.DeliveryRules;
import dev.ringfence.subscription.Destination;
import dev.ringfence.subscription.EventFilter;
import dev.ringfence.subscription.EventTypeFilter;
import dev.ringfence.subscription.Grants;
import dev.ringfence.subscription.Intake;
import dev.ringfence.subscription.MatchFilter;
import dev.ringfence.subscription.Mode;
import dev.ringfence.subscription.OrderRules;
import dev.ringfence.subscription.ReceiverAccess;
import dev.ringfence.subscription.RequestSecrets;
import dev.ringfence.subscription.RetryPolicy;
import dev.ringfence.subscription.Semantics;
import dev.ringfence.subscription.Subscription;
import dev.ringfence.subscription.SubscriptionStatus;
import dev.ringfence.transport.AckProfile;
import dev.ringfence.transport.OAuthClient;
import dev.ringfence.transport.Outbound;
import dev.ringfence.transport.TlsMaterial;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class RequestsTest {

    private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");

    @Test
    @Tag("HT-1")
    void aTokenIsSentAsAuthorization() {
        Outbound sent = request(new BearerToken("t.0~"));
        assertThat(sent.headers()).isEqualTo(Map.of("X-Shop", "7", "Authorization", "Bearer t.0~"));
        assertThat(sent.toString()).doesNotContain("t.0~");
    }

    @Test
    @Tag("HT-1")
    void withoutATokenThereIsNoAuthorization() {
        assertThat(request((BearerToken) null).headers()).containsOnlyKeys("X-Shop");
    }

    @Test
    @Tag("SB-1")
    void whomItTrustsAndWhoseTokenItCarriesGoWithIt() {
        OAuthClient client = new OAuthClient(URI.create("https://id.test/t"), "i", "s");
        TlsMaterial tls = new TlsMaterial("ca", null, null);
        Outbound sent = request(new ReceiverAccess(null, client, tls));
        assertThat(sent.oauth()).isEqualTo(client);
        assertThat(sent.tls()).isEqualTo(tls);
        assertThat(sent.headers()).containsOnlyKeys("X-Shop");
    }

    /** What waits keeps the URL of the receiver before; the credentials are the present one's. */
    @Test
    @Tag("SB-1")
    @Tag("SB-4")
    void credentialsOfAnotherReceiverStayAway() {
        ReceiverAccess access = new ReceiverAccess(
                new BearerToken("t"),
                new OAuthClient(URI.create("https://id.test/t"), "i", "s"),
                new TlsMaterial("ca", null, null));
        for (String present : new String[] {
            "https://other.example.test/in",
            "http://hooks.example.test/in",
            "https://hooks.example.test:8443/in",
            "https://hooks.example.test.evil.test/in",
            null
        }) {
            Outbound sent = request(access, present);
            assertThat(sent.headers()).as("%s", present).containsOnlyKeys("X-Shop");
            assertThat(sent.oauth()).as("%s", present).isNull();
            assertThat(sent.tls()).as("%s", present).isEqualTo(TlsMaterial.NONE);
        }
        for (String present : List.of(
                "HTTPS://Hooks.Example.Test/other",
                "https://hooks.example.test:443/other",
                "https://hooks.example.test:0443/other")) {
            assertThat(request(access, present).headers()).as(present).containsKey("Authorization");
        }
    }

    private static Outbound request(@Nullable BearerToken bearer) {
        return request(bearer == null ? ReceiverAccess.NONE : new ReceiverAccess(bearer, null, TlsMaterial.NONE));
    }

    private static Outbound request(ReceiverAccess access) {
        return request(access, "https://hooks.example.test/elsewhere");
    }

    private static Outbound request(ReceiverAccess access, @Nullable String present) {
        Endpoint endpoint = new Endpoint(subscription(present), new RequestSecrets(List.of(), access));
        return Requests.of(reserved(), endpoint, NOW, 1).orElseThrow();
    }

    private static Reserved reserved() {
        return new Reserved(
                1,
                NOW,
                1,
                UUID.randomUUID(),
                UUID.randomUUID(),
                UUID.randomUUID(),
                1,
                1,
                1,
                NOW,
                NOW,
                "msg_1",
                "https://hooks.example.test/in",
                "{\"X-Shop\":\"7\"}",
                null,
                "{}".getBytes(StandardCharsets.UTF_8),
                false,
                false);
    }

    private static Subscription subscription(@Nullable String url) {
        return new Subscription(
                UUID.randomUUID(),
                UUID.randomUUID(),
                1,
                "all",
                new Destination(
                        Mode.PUSH, url, Map.of(), AckProfile.STATUS, Duration.ofSeconds(2), null, AccessTerms.NONE),
                new EventFilter(new EventTypeFilter(List.of()), MatchFilter.ALL),
                List.of(),
                new DeliveryRules(
                        Semantics.AT_LEAST_ONCE,
                        new RetryPolicy(List.of(), 0, 1),
                        List.of(),
                        1,
                        null,
                        CircuitRules.DEFAULT,
                        OrderRules.NONE,
                        1),
                new Grants(List.of("*")),
                SubscriptionStatus.ACTIVE,
                null,
                0,
                CircuitState.CLOSED,
                NOW,
                Intake.from(1));
    }
}
