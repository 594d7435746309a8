package dev.ringfence.subscription;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.audit.Audit;
import dev.ringfence.config.Settings;
import dev.ringfence.idempotency.Idempotency;
import dev.ringfence.idempotency.IdempotentAnswer;
import dev.ringfence.idempotency.Outcome;
import dev.ringfence.idempotency.TenantScope;
import dev.ringfence.json.StrictJson;
import dev.ringfence.lifecycle.LifecycleRepository;
import dev.ringfence.lifecycle.TenantChecks;
import dev.ringfence.lifecycle.TenantLifecycle;
import dev.ringfence.lifecycle.TenantRef;
import dev.ringfence.lifecycle.TenantVerdict;
import dev.ringfence.outbox.OrdinalsRepository;
import dev.ringfence.security.Caller;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.time.Clock;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;

/** Changes subscriptions: each change, its audit entry and its kept answer in one transaction under the tenant's fence. */
@ApplicationScoped
public class Subscriptions {

    @Inject
    LifecycleRepository lifecycles;

    @Inject
    SubscriptionChangeRepository subscriptions;

    @Inject
    OrdinalsRepository ordinals;

    @Inject
    SubscriptionSecrets secrets;

    @Inject
    Idempotency idempotency;

    @Inject
    Audit audit;

    @Inject
    Settings settings;

    @Inject
    Clock clock;

    /**
     * Subscribes. Creating is accepting: the grants that result are audited with the creator (SB-5).
     *
     * @throws ApiProblem 409 {@code STALE_EPOCH} for a tenant that never enrolled, {@code TENANT_REDACTED}; 503 {@code FENCE_TIMEOUT}
     */
    @Transactional
    public IdempotentAnswer create(TenantRef tenant, SubscriptionDraft draft, Post post) {
        TenantLifecycle row = activeUnderFence(tenant);
        TenantScope scope = new TenantScope(row.tenantId(), row.epoch());
        return idempotency.execute(
                post.key(), post.path(), post.caller(), post.body(), scope, () -> subscribe(row, draft, post.caller()));
    }

    private Outcome subscribe(TenantLifecycle tenant, SubscriptionDraft draft, Caller creator) {
        Instant now = clock.instant();
        Subscription added =
                draft.subscribe(UUID.randomUUID(), tenant.appId(), tenant.tenantId(), now, ordinals.next(1)[0]);
        subscriptions.insert(added);
        secrets.store(
                added.id(), draft.signing().stream().map(SigningRequest::secret).toList(), draft.access(), now);
        audit.record(
                creator.actor(),
                "subscription.create",
                tenant.appId(),
                tenant.tenantId(),
                added.id().toString(),
                null,
                StrictJson.tree(Map.of("grants", added.grants().families())));
        return new Outcome(
                201,
                StrictJson.write(SubscriptionAnswer.withNewSecrets(added, draft.signing())),
                StrictJson.write(SubscriptionAnswer.of(added)));
    }

    private TenantLifecycle activeUnderFence(TenantRef tenant) {
        TenantLifecycle row = lifecycles
                .findUnderShared(tenant, settings.fenceTimeout())
                .orElseThrow(() -> ApiProblem.unavailable(
                        "FENCE_TIMEOUT", "The tenant is being worked on exclusively. Try again soon."))
                .row();
        if (row == null) {
            throw refused(TenantChecks.STALE_EPOCH);
        }
        if (!row.active()) {
            throw refused(TenantChecks.TENANT_REDACTED);
        }
        return row;
    }

    private static ApiProblem refused(TenantVerdict.Refused reason) {
        return ApiProblem.conflict(reason.code(), reason.detail());
    }
}
