package dev.ringfence.idempotency;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.security.Caller;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Does a deed once per key, path and caller (RC-12). A problem is no answer that is kept: it rolls back the key with
 * everything else, so that the request may be tried again.
 */
@ApplicationScoped
public class Idempotency {

    /** How long an answer is kept. */
    static final Duration KEPT = Duration.ofHours(24);

    private static final int TRIES = 3;

    private final IdempotencyRepository answers;
    private final Clock clock;

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    Idempotency() {
        this.answers = null;
        this.clock = null;
    }

    @Inject
    public Idempotency(IdempotencyRepository answers, Clock clock) {
        this.answers = answers;
        this.clock = clock;
    }

    /**
     * Does the work, or answers what it answered before. Runs in the caller's transaction, whose checks of tenant and
     * epoch come first; whatever else refuses the work belongs into it, as the state of things may have changed since the answer.
     *
     * @param key the header {@code Idempotency-Key}; with {@code null} the work is simply done
     * @param path path and query of the request
     * @param body the request's bytes
     * @param scope the tenant that the answer belongs to, if any
     * @throws ApiProblem 422 {@code IDEMPOTENCY_KEY_REUSED} with another body, 409 {@code IDEMPOTENCY_KEY_IN_USE} where
     *     the first request does not end soon, 409 {@code STALE_EPOCH} where the answer is of another epoch
     */
    @Transactional(Transactional.TxType.MANDATORY)
    public IdempotentAnswer execute(
            @Nullable String key,
            String path,
            Caller caller,
            byte[] body,
            @Nullable TenantScope scope,
            Supplier<Outcome> work) {
        if (key == null) {
            Outcome outcome = work.get();
            return new IdempotentAnswer(outcome.status(), outcome.body(), false);
        }
        IdempotentRequest request = IdempotentRequest.of(caller.keyId(), path, key, body);
        for (int i = 0; i < TRIES; i++) {
            if (answers.claim(request, scope, clock.instant(), KEPT)) {
                return done(request, work.get());
            }
            Optional<StoredAnswer> stored = answers.find(request);
            if (stored.isPresent()) {
                return replay(request, stored.get(), scope);
            }
        }
        throw ApiProblem.unavailable("UNAVAILABLE", "The Idempotency-Key is being erased.");
    }

    private IdempotentAnswer done(IdempotentRequest request, Outcome outcome) {
        answers.complete(request, outcome);
        return new IdempotentAnswer(outcome.status(), outcome.body(), false);
    }

    private static IdempotentAnswer replay(
            IdempotentRequest request, StoredAnswer stored, @Nullable TenantScope scope) {
        if (scope != null && !scope.epoch().equals(stored.epoch())) {
            throw ApiProblem.conflict("STALE_EPOCH", "The answer under this key belongs to another epoch.");
        }
        if (!MessageDigest.isEqual(request.bodySha256(), stored.bodySha256())) {
            throw ApiProblem.unprocessable(
                    "IDEMPOTENCY_KEY_REUSED", "This Idempotency-Key was used with another body.");
        }
        return new IdempotentAnswer(stored.status(), stored.response(), true);
    }
}
