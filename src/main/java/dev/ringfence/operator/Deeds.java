package dev.ringfence.operator;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.audit.Audit;
import dev.ringfence.delivery.DeliveryStorageException;
import dev.ringfence.idempotency.Idempotency;
import dev.ringfence.idempotency.IdempotentAnswer;
import dev.ringfence.idempotency.Outcome;
import dev.ringfence.idempotency.TenantScope;
import dev.ringfence.json.StrictJson;
import dev.ringfence.lifecycle.ActiveTenants;
import dev.ringfence.lifecycle.TenantLifecycle;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Map;
import java.util.function.Supplier;

/** What every act on a delivery begins and ends with, in the transaction of whoever acts (OP-1). */
@ApplicationScoped
class Deeds {
    @Inject
    ActiveTenants tenants;

    @Inject
    NewCycleRepository deliveries;

    @Inject
    Idempotency idempotency;

    @Inject
    Audit audit;

    /**
     * The tenant of the delivery, whose fence the transaction holds from now on.
     *
     * @throws ApiProblem 404 where the application has no such delivery; what {@link ActiveTenants#underFence} says of the tenant
     */
    TenantLifecycle underFence(DeliveryDeed asked) {
        long tenantId = deliveries.tenantOf(asked.appId(), asked.delivery()).orElseThrow(ApiProblem::notFound);
        return tenants.underFence(tenantId);
    }

    /** Does the work, or answers what it answered before (RC-12). */
    IdempotentAnswer once(TenantLifecycle tenant, Deed deed, Supplier<Outcome> work) {
        TenantScope scope = new TenantScope(tenant.tenantId(), tenant.epoch());
        return idempotency.execute(deed.key(), deed.path(), deed.caller(), deed.body(), scope, work);
    }

    /**
     * The delivery, locked until the transaction ends.
     *
     * @param beaten what to answer where another transaction moved it meanwhile
     * @throws ApiProblem 404 where it is gone
     */
    OldDelivery lock(DeliveryDeed asked, Supplier<ApiProblem> beaten) {
        try {
            return deliveries.lock(asked.appId(), asked.delivery()).orElseThrow(ApiProblem::notFound);
        } catch (DeliveryStorageException lost) {
            if (lost.lostToAnother()) {
                throw beaten.get();
            }
            throw lost;
        }
    }

    /** Leaves the audit entry. */
    void note(DeliveryDeed asked, TenantLifecycle tenant, String action, Map<String, Object> detail) {
        audit.record(
                asked.deed().caller().actor(),
                action,
                asked.appId(),
                tenant.tenantId(),
                Long.toString(asked.delivery()),
                asked.reason(),
                StrictJson.tree(detail));
    }
}
