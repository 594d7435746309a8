package dev.ringfence.operator;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.delivery.DeliveryState;
import dev.ringfence.idempotency.IdempotentAnswer;
import dev.ringfence.idempotency.Outcome;
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

/**
 * Gives dead deliveries up for good (OP-1, OP-2): in one transaction under the tenant's fence with its audit entry. A discarded delivery stays
 * dead, is never sent again, and holds nobody of its key any more (OB-5).
 */
@ApplicationScoped
class Discards {
    @Inject
    Deeds deeds;

    @Inject
    NewCycleRepository deliveries;

    @Inject
    OrderedKeys keys;

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
    IdempotentAnswer discard(DeliveryDeed asked) {
        TenantLifecycle tenant = deeds.underFence(asked);
        return deeds.once(tenant, asked.deed(), () -> {
            OldDelivery old = dead(asked);
            if (!deliveries.discard(old, clock.instant())) {
                throw notDead();
            }
            if (old.orderKey() != null) {
                keys.moved(List.of(new OrderedKey(old.subscriptionId(), old.orderKey())));
            }
            deeds.note(asked, tenant, "delivery.discard", Map.of("subscription", old.subscriptionId()));
            return Outcome.of(200, new Discarded(Long.toString(asked.delivery()), old.state(), true));
        });
    }

    private OldDelivery dead(DeliveryDeed asked) {
        OldDelivery old = deeds.lock(asked, Discards::notDead);
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
