package dev.ringfence.lifecycle;

import dev.ringfence.api.ApiProblem;

/** What the tenant's row says about a request that brings an epoch. */
public sealed interface TenantVerdict {

    /** The request may act on the tenant, while the fence is held. */
    record Current(TenantLifecycle row, EffectiveStart start) implements TenantVerdict {}

    /** It may not, for good: 409 with that code. */
    record Refused(String code, String detail) implements TenantVerdict {}

    /**
     * The way on for a resource.
     *
     * @throws ApiProblem 409 where the request is refused
     */
    default Current orThrow() {
        if (this instanceof Current current) {
            return current;
        }
        Refused refused = (Refused) this;
        throw ApiProblem.conflict(refused.code(), refused.detail());
    }
}
