package dev.ringfence.idempotency;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.RequestContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The POST request in hand, where it belongs to no tenant: registrations of applications, keys and consumers. */
@ApplicationScoped
public class CurrentPost {

    @Inject
    Idempotency idempotency;

    @Inject
    RequestContext request;

    /**
     * Does the request's work once (RC-12), in the caller's transaction.
     *
     * @param key the header {@code Idempotency-Key}
     * @param raw the body as received
     * @throws ApiProblem as {@link Idempotency#execute}
     */
    @Transactional(Transactional.TxType.MANDATORY)
    public IdempotentAnswer once(@Nullable String key, byte[] raw, Supplier<Outcome> work) {
        return idempotency.execute(key, request.path(), request.caller(), raw, null, work);
    }
}
