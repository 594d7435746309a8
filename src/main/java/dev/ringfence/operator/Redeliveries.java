package dev.ringfence.operator;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.audit.Audit;
import dev.ringfence.idempotency.IdempotentAnswer;
import dev.ringfence.idempotency.Outcome;
import dev.ringfence.json.StrictJson;
import dev.ringfence.lifecycle.ActiveTenants;
import dev.ringfence.lifecycle.TenantLifecycle;
import dev.ringfence.ordering.OrderedKeys;
import dev.ringfence.subscription.Subscription;
import dev.ringfence.subscription.SubscriptionRepository;
import dev.ringfence.subscription.SubscriptionStatus;
import dev.ringfence.time.DatabaseTime;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.time.Clock;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Sends once more what an operator says (OP-1, DL-4): in one transaction under the tenant's fence with its audit entry. A new cycle keeps
 * event id, bytes, ledger and first acceptance; a delivery of an earlier epoch is never sent again.
 */
@ApplicationScoped
class Redeliveries {
    private static final List<String> STATES = List.of("dead", "failed", "delivered", "retrying");

    @Inject
    Deeds deeds;

    @Inject
    ActiveTenants tenants;

    @Inject
    NewCycleRepository deliveries;

    @Inject
    OrderedKeys keys;

    @Inject
    JobRepository jobs;

    @Inject
    SubscriptionRepository subscriptions;

    @Inject
    Audit audit;

    @Inject
    @DatabaseTime
    Clock clock;

    /**
     * Opens a new cycle for one delivery; its job is done when this returns.
     *
     * @throws ApiProblem 404; 409 {@code ATTEMPT_IN_FLIGHT}, {@code DISCARDED}, {@code NOT_RETRYABLE}, {@code STALE_EPOCH},
     *     {@code TENANT_REDACTED}, {@code APP_DISABLED}, {@code SUBSCRIPTION_GONE}, {@code SUBSCRIPTION_DISABLED}; 503
     *     {@code FENCE_TIMEOUT}
     */
    @Transactional
    IdempotentAnswer retry(DeliveryDeed asked) {
        TenantLifecycle tenant = deeds.underFence(asked);
        return deeds.once(tenant, asked.deed(), () -> {
            refuseDisabled(tenant);
            OldDelivery old = deeds.lock(asked, Redeliveries::inFlight);
            refuse(old, tenant);
            Instant now = clock.instant();
            NewCycleRepository.Place place = new NewCycleRepository.Place(old.id(), old.createdAt());
            NewCycleRepository.Opened opened = deliveries.open(List.of(place), STATES, tenant.epoch(), now);
            if (opened.count() != 1) {
                throw inFlight();
            }
            keys.moved(opened.queues());
            UUID job = UUID.randomUUID();
            jobs.insertRetry(job, asked.appId(), old.subscriptionId(), tenant.epoch(), now);
            deeds.note(asked, tenant, "delivery.retry", detail(old, job, opened));
            return Outcome.of(202, jobs.find(asked.appId(), job).orElseThrow());
        });
    }

    /**
     * Orders the replay of a window; it goes on by itself.
     *
     * @throws ApiProblem 404; 409 {@code TENANT_REDACTED}, {@code APP_DISABLED}, {@code SUBSCRIPTION_DISABLED}; 503 {@code FENCE_TIMEOUT}
     */
    @Transactional
    IdempotentAnswer replay(UUID appId, UUID subscriptionId, ReplayOrder order, Deed deed) {
        Subscription subscription = subscriptions.find(appId, subscriptionId).orElseThrow(ApiProblem::notFound);
        TenantLifecycle tenant = tenants.underFence(subscription.tenantId());
        return deeds.once(tenant, deed, () -> {
            refuseDisabled(tenant);
            if (subscription.status() == SubscriptionStatus.DISABLED) {
                throw disabled();
            }
            Instant now = clock.instant();
            Instant to = order.to().isAfter(now) ? now : order.to();
            UUID job = UUID.randomUUID();
            jobs.insertReplay(job, appId, subscriptionId, tenant.epoch(), order, to, now);
            audit.record(
                    deed.caller().actor(),
                    "subscription.replay",
                    appId,
                    tenant.tenantId(),
                    subscriptionId.toString(),
                    order.reason(),
                    StrictJson.tree(Map.of("from", order.from(), "to", to, "states", order.states(), "job", job)));
            return Outcome.of(202, jobs.find(appId, job).orElseThrow());
        });
    }

    private static Map<String, Object> detail(OldDelivery old, UUID job, NewCycleRepository.Opened opened) {
        Map<String, Object> detail = new LinkedHashMap<>(Map.of("from", old.state(), "job", job));
        if (opened.outOfOrder() > 0) {
            detail.put("outOfOrder", true);
        }
        return detail;
    }

    private static void refuse(OldDelivery old, TenantLifecycle tenant) {
        if (old.discarded()) {
            throw ApiProblem.conflict("DISCARDED", "The delivery was discarded, which is final.");
        }
        if (!old.epoch().equals(tenant.epoch())) {
            throw ApiProblem.conflict("STALE_EPOCH", "The delivery belongs to an earlier installation of the tenant.");
        }
        if (old.open()) {
            throw inFlight();
        }
        if (!STATES.contains(old.state())) {
            throw ApiProblem.conflict("NOT_RETRYABLE", "A delivery that is " + old.state() + " has nothing to retry.");
        }
        if (!old.retained()) {
            throw ApiProblem.conflict("NOT_RETRYABLE", "There is nothing kept that the delivery could send.");
        }
        if (old.subscription() == null) {
            throw ApiProblem.conflict("SUBSCRIPTION_GONE", "The subscription of the delivery was deleted.");
        }
        if (old.subscription().equals(SubscriptionStatus.DISABLED.name())) {
            throw disabled();
        }
    }

    private static void refuseDisabled(TenantLifecycle tenant) {
        if (!tenant.appEnabled()) {
            throw ApiProblem.conflict("APP_DISABLED", "The application is disabled.");
        }
    }

    private static ApiProblem inFlight() {
        return ApiProblem.conflict("ATTEMPT_IN_FLIGHT", "An attempt is under way. Try again when it has ended.");
    }

    private static ApiProblem disabled() {
        return ApiProblem.conflict("SUBSCRIPTION_DISABLED", "The subscription is disabled; resume makes it active.");
    }
}
