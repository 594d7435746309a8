package dev.ringfence.inbox;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.RequestContext;
import dev.ringfence.audit.Audit;
import dev.ringfence.idempotency.CurrentPost;
import dev.ringfence.idempotency.IdempotentAnswer;
import dev.ringfence.idempotency.Outcome;
import dev.ringfence.security.SecretBox;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import org.jspecify.annotations.Nullable;

/** Registers consumers, each with its audit entry in one transaction. */
@ApplicationScoped
public class Consumers {

    @Inject
    ConsumerRepository repository;

    @Inject
    CurrentPost post;

    @Inject
    Audit audit;

    @Inject
    SecretBox secrets;

    @Inject
    RequestContext request;

    @Inject
    Clock clock;

    /**
     * Registers a consumer: 201.
     *
     * @throws ApiProblem 409 {@code CONSUMER_EXISTS} where the name is taken
     */
    @Transactional
    IdempotentAnswer register(@Nullable String idempotencyKey, byte[] raw, JsonNode document) {
        return post.once(
                idempotencyKey, raw, () -> Outcome.of(201, add(document).view()));
    }

    private Consumer add(JsonNode document) {
        String name = document.get("name").textValue();
        byte[] secret = document.get("secret").textValue().getBytes(StandardCharsets.UTF_8);
        Consumer consumer = new Consumer(
                name,
                document.get("scheme").textValue(),
                secrets.seal(Consumer.purpose(name), secret),
                clock.instant());
        if (!repository.insert(consumer)) {
            throw ApiProblem.conflict("CONSUMER_EXISTS", "There is a consumer of this name already.");
        }
        audit.record(request.caller().actor(), "inbox-consumer.create", null, null, name, null, null);
        return consumer;
    }
}
