package dev.ringfence.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.config.Settings;
import dev.ringfence.delivery.DeliveryFixture;
import dev.ringfence.json.StrictJson;
import dev.ringfence.security.SecretBox;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Base64;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A change of certificates of which some are to stay, and the stored ones are no certificates. */
class SubscriptionChangesIT {

    @Test
    @Tag("SC-2")
    void certificates_whose_text_cannot_be_read_are_a_conflict() {
        SecretBox box = new SecretBox(Settings.from(
                Map.of("ringfence.secrets.key", Base64.getEncoder().encodeToString(new byte[32]))));
        SubscriptionPatch patch =
                new SubscriptionPatch(StrictJson.parse("{\"tls\":{\"ca\":null}}".getBytes(StandardCharsets.UTF_8)));
        try (DeliveryFixture fixture = new DeliveryFixture()) {
            UUID subscription = fixture.subscription(fixture.tenant("t"), "AT_LEAST_ONCE", 6);
            byte[] sealed = box.seal(
                    "subscription " + subscription + " entry " + SealedAccess.TLS,
                    "{\"ca\":".getBytes(StandardCharsets.UTF_8));
            fixture.update(
                    "insert into subscription_secrets (subscription_id, entry, generation, secret, created_at) values (?, ?, 1, ?, now())",
                    subscription,
                    SealedAccess.TLS,
                    sealed);
            SubscriptionChanges changes = new SubscriptionChanges();
            changes.secrets = new SubscriptionSecrets(
                    new SubscriptionSecretsRepository(fixture.transactions), box, Clock.systemUTC());

            ApiProblem problem = catchThrowableOfType(ApiProblem.class, () -> changes.tls(subscription, patch));

            assertThat(problem.code()).isEqualTo("SECRET_UNREADABLE");
        }
    }
}
