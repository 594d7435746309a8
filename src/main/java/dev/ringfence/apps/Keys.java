package dev.ringfence.apps;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.RequestContext;
import dev.ringfence.audit.Audit;
import dev.ringfence.idempotency.CurrentPost;
import dev.ringfence.idempotency.IdempotentAnswer;
import dev.ringfence.idempotency.Outcome;
import dev.ringfence.json.StrictJson;
import dev.ringfence.security.ApiKey;
import dev.ringfence.security.ApiKeyRepository;
import dev.ringfence.security.ApiKeySecret;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Issues and revokes the keys of an application, each deed with its audit entry in one transaction. */
@ApplicationScoped
public class Keys {

    @Inject
    ApiKeyRepository keys;

    @Inject
    CurrentPost post;

    @Inject
    Audit audit;

    @Inject
    RequestContext request;

    @Inject
    Clock clock;

    /** Issues a key: 201, with its secret this once. */
    @Transactional
    IdempotentAnswer issue(UUID app, @Nullable String idempotencyKey, byte[] raw, JsonNode document) {
        return post.once(idempotencyKey, raw, () -> add(app, document));
    }

    /**
     * Revokes a key; it is refused from the next request on.
     *
     * @throws ApiProblem 404 where the application has no such key
     */
    @Transactional
    void revoke(UUID app, UUID id) {
        ApiKey key = keys.find(app, id).orElseThrow(ApiProblem::notFound);
        if (key.revokedAt() == null) {
            keys.revoke(app, id, clock.instant());
            audit("key.revoke", app, key);
        }
    }

    private Outcome add(UUID app, JsonNode document) {
        ApiKeySecret secret = ApiKeySecret.mint();
        List<String> roles = StreamSupport.stream(document.get("roles").spliterator(), false)
                .map(JsonNode::textValue)
                .toList();
        ApiKey key = new ApiKey(UUID.randomUUID(), app, document.get("name").textValue(), roles, clock.instant(), null);
        keys.insert(key, secret);
        audit("key.issue", app, key);
        return Outcome.showing(201, KeyView.of(key), Map.of("secret", secret.reveal()));
    }

    private void audit(String deed, UUID app, ApiKey key) {
        JsonNode detail = StrictJson.tree(Map.of("name", key.name(), "roles", key.roles()));
        audit.record(request.caller().actor(), deed, app, null, key.id().toString(), null, detail);
    }
}
