package dev.ringfence.lifecycle;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.config.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

/** What operators change of a tenant they change under its shared fence, while it is active (FN-1). */
@ApplicationScoped
public class ActiveTenants {
    private final LifecycleRepository lifecycles;
    private final Settings settings;

    @Inject
    public ActiveTenants(LifecycleRepository lifecycles, Settings settings) {
        this.lifecycles = lifecycles;
        this.settings = settings;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    ActiveTenants() {
        this(null, null);
    }

    /**
     * The tenant's row, read under its fence, which the current transaction holds until it ends.
     *
     * @throws ApiProblem 409 {@code STALE_EPOCH} for a tenant without a row, {@code TENANT_REDACTED}; 503 {@code FENCE_TIMEOUT}
     */
    public TenantLifecycle underFence(long tenantId) {
        if (!lifecycles.lockShared(known(tenantId).fenceKey(), settings.fenceTimeout())) {
            throw busy();
        }
        return active(tenantId);
    }

    /** As {@link #underFence}, without waiting for whoever works on the tenant exclusively. */
    public TenantLifecycle underFenceAtOnce(long tenantId) {
        if (!lifecycles.tryShared(known(tenantId).fenceKey())) {
            throw busy();
        }
        return active(tenantId);
    }

    private TenantLifecycle known(long tenantId) {
        return lifecycles.find(tenantId).orElseThrow(() -> refused(TenantChecks.STALE_EPOCH));
    }

    private static ApiProblem busy() {
        return ApiProblem.unavailable("FENCE_TIMEOUT", "The tenant is being worked on exclusively. Try again soon.");
    }

    private TenantLifecycle active(long tenantId) {
        TenantLifecycle row = known(tenantId);
        if (!row.active()) {
            throw refused(TenantChecks.TENANT_REDACTED);
        }
        return row;
    }

    private static ApiProblem refused(TenantVerdict.Refused reason) {
        return ApiProblem.conflict(reason.code(), reason.detail());
    }
}
