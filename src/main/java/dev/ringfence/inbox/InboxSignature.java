package dev.ringfence.inbox;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.security.SecretBox;
import dev.ringfence.signing.Verification;
import dev.ringfence.signing.WebhookSecret;
import dev.ringfence.signing.WebhookVerifier;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Checks that a delivery is from a holder of the consumer's secret, and fresh. */
@ApplicationScoped
public class InboxSignature {

    private static final Duration TOLERANCE = Duration.ofMinutes(5);

    @Inject
    ConsumerRepository consumers;

    @Inject
    SecretBox secrets;

    @Inject
    Clock clock;

    /**
     * Checks a request.
     *
     * @throws ApiProblem 401 where it is not to be trusted, or where there is no such consumer: which one is not told
     */
    void check(String consumer, Map<String, String> headers, byte[] body) {
        boolean valid = consumers
                .find(consumer)
                .map(known -> WebhookVerifier.verify(headers, body, List.of(secret(known)), TOLERANCE, clock.instant()))
                .filter(Verification.Valid.class::isInstance)
                .isPresent();
        if (!valid) {
            throw ApiProblem.of(401, "UNAUTHENTICATED", "The request is not signed by a sender of this consumer.");
        }
    }

    private WebhookSecret secret(Consumer consumer) {
        byte[] text = secrets.open(Consumer.purpose(consumer.name()), consumer.sealedSecret());
        return WebhookSecret.parse(new String(text, StandardCharsets.UTF_8));
    }
}
