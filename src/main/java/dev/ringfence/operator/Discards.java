package dev.ringfence.operator;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.audit.Audit;
import dev.ringfence.delivery.DeliveryState;
import dev.ringfence.delivery.DeliveryStorageException;
import dev.ringfence.idempotency.Idempotency;
import dev.ringfence.idempotency.IdempotentAnswer;
import dev.ringfence.idempotency.Outcome;
import dev.ringfence.idempotency.TenantScope;
import dev.ringfence.json.StrictJson;
import dev.ringfence.lifecycle.ActiveTenants;
import dev.ringfence.lifecycle.TenantLifecycle;
import dev.ringfence.ordering.OrderedKey;
import dev.ringfence.ordering.OrderedKeys;
import dev.ringfence.time.DatabaseTime;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Gives dead deliveries up for good (OP-1, OP-2): in one transaction under the tenant's fence with its audit entry. A discarded delivery stays
 * dead, is never sent again, and holds nobody of its key any more (OB-5).
 */
@ApplicationScoped
class Discards {
    @Inject
    ActiveTenants tenants;

    @Inject
    NewCycleRepository deliveries;

    @Inject
    OrderedKeys keys;

    @Inject
    Idempotency idempotency;

    @Inject
    Audit audit;

    @Inject
    @DatabaseTime
    Clock clock;

    /** What a discarded delivery is. */
    record Discarded(String id, String state, boolean discarded) {}

    /**
     * Discards one delivery.
     *
     * @throws ApiProblem 404; 409 {@code DISCARDED}, {@code NOT_DEAD}, {@code TENANT_REDACTED}; 503 {@code FENCE_TIMEOUT}
     */
    @Transactional
    IdempotentAnswer discard(UUID appId, long delivery, String reason, Deed deed) {
        long tenantId = deliveries.tenantOf(appId, delivery).orElseThrow(ApiProblem::notFound);
        TenantLifecycle tenant = tenants.underFence(tenantId);
        TenantScope scope = new TenantScope(tenantId, tenant.epoch());
        return idempotency.execute(deed.key(), deed.path(), deed.caller(), deed.body(), scope, () -> {
            OldDelivery old = dead(appId, delivery);
            if (!deliveries.discard(old, clock.instant())) {
                throw notDead();
            }
            if (old.orderKey() != null) {
                keys.moved(List.of(new OrderedKey(old.subscriptionId(), old.orderKey())));
            }
            audit.record(
                    deed.caller().actor(),
                    "delivery.discard",
                    appId,
                    tenantId,
                    Long.toString(delivery),
                    reason,
                    StrictJson.tree(Map.of("subscription", old.subscriptionId())));
            return Outcome.of(200, new Discarded(Long.toString(delivery), old.state(), true));
        });
    }

    private OldDelivery dead(UUID appId, long delivery) {
        Optional<OldDelivery> found;
        try {
            found = deliveries.lock(appId, delivery);
        } catch (DeliveryStorageException beaten) {
            if (beaten.worthRepeating()) {
                throw notDead();
            }
            throw beaten;
        }
        OldDelivery old = found.orElseThrow(ApiProblem::notFound);
        if (old.discarded()) {
            throw ApiProblem.conflict("DISCARDED", "The delivery was discarded already.");
        }
        if (!old.state().equals(DeliveryState.DEAD.text())) {
            throw notDead();
        }
        return old;
    }

    private static ApiProblem notDead() {
        return ApiProblem.conflict("NOT_DEAD", "Only a dead delivery can be discarded.");
    }
}
