package dev.ringfence.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.config.Settings;
import dev.ringfence.delivery.DeliveryFixture;
import dev.ringfence.fence.FenceKey;
import dev.ringfence.security.SecretBox;
import dev.ringfence.subscription.RecipientRepository;
import dev.ringfence.subscription.SubscriptionSecrets;
import dev.ringfence.subscription.SubscriptionSecretsRepository;
import dev.ringfence.time.SteerableNanoClock;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a node keeps of subscriptions and their opened secrets. */
class EndpointsIT {
    private final SteerableNanoClock clock = new SteerableNanoClock();
    private DeliveryFixture fixture;
    private Endpoints endpoints;

    @BeforeEach
    void open() {
        fixture = new DeliveryFixture();
        Settings settings = Settings.from(
                Map.of("ringfence.secrets.key", Base64.getEncoder().encodeToString(new byte[32])));
        endpoints = new Endpoints(
                new RecipientRepository(fixture.transactions),
                new SubscriptionSecrets(
                        new SubscriptionSecretsRepository(fixture.transactions),
                        new SecretBox(settings),
                        Clock.systemUTC()),
                clock);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private Map<UUID, Endpoint> read(UUID subscription) {
        return endpoints.of(List.of(new Candidate(
                1, 1, new FenceKey(1), true, subscription, 1L, 1, 0, Instant.EPOCH, "a.b.c.v1", null, 1_000, false)));
    }

    @Test
    @Tag("RD-5")
    void nothing_of_a_subscription_stays_in_memory_once_its_moment_is_over() {
        long tenant = fixture.tenant("t");
        UUID gone = fixture.subscription(tenant, "AT_LEAST_ONCE", 6);
        UUID other = fixture.subscription(tenant, "AT_LEAST_ONCE", 6);
        assertThat(read(gone)).containsOnlyKeys(gone);
        assertThat(endpoints.remembered()).isEqualTo(1);

        fixture.update("delete from subscriptions where id = ?", gone);
        clock.advance(Duration.ofSeconds(1));
        endpoints.forget();
        assertThat(endpoints.remembered()).as("by the beat").isZero();
        assertThat(read(gone)).isEmpty();

        read(other);
        clock.advance(Duration.ofSeconds(1));
        assertThat(read(gone)).isEmpty();
        assertThat(endpoints.remembered()).as("by the next read").isZero();
    }
}
