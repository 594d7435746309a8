package dev.ringfence.recording;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.config.Settings;
import dev.ringfence.lifecycle.LifecycleRepository;
import dev.ringfence.lifecycle.RequestStarts;
import dev.ringfence.lifecycle.TenantChecks;
import dev.ringfence.lifecycle.TenantVerdict;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

/**
 * Lets a recording transaction go on: takes the tenant's shared fence in it, and only then reads the tenant's row and checks
 * epoch, phase, clock and boundary (RC-3, FN-1, FN-4, LC-6). What it admits stays true until the transaction ends.
 */
@ApplicationScoped
public class Admission {
    private final LifecycleRepository lifecycle;
    private final RequestStarts starts;
    private final Settings settings;

    @Inject
    Admission(LifecycleRepository lifecycle, RequestStarts starts, Settings settings) {
        this.lifecycle = lifecycle;
        this.starts = starts;
        this.settings = settings;
    }

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    Admission() {
        this(null, null, null);
    }

    /**
     * Admits a request, or refuses it.
     *
     * @throws ApiProblem 409 {@code STALE_EPOCH}, {@code TENANT_REDACTED}, {@code REQUEST_BEFORE_REDACTION},
     *     {@code APP_DISABLED}; 422 for a caller's time without its bound; 503 {@code FENCE_TIMEOUT},
     *     {@code CLOCK_BOUND_UNAVAILABLE}
     */
    public TenantVerdict.Current admit(TenantRequest request) {
        LifecycleRepository.UnderFence fenced = lifecycle
                .findUnderShared(request.tenant(), settings.fenceTimeout())
                .orElseThrow(Admission::fenceTimeout);
        TenantVerdict.Current current = TenantChecks.verify(
                        fenced.row(),
                        request.epoch(),
                        known -> starts.effective(request.receivedAt(), request.callerStart(), known.minSkewBound()))
                .orThrow();
        if (!current.row().appEnabled()) {
            throw ApiProblem.conflict("APP_DISABLED", "The sending application is disabled.");
        }
        return current;
    }

    /** The answer where somebody else's lock was not let go in time. */
    static ApiProblem fenceTimeout() {
        return ApiProblem.unavailable(
                "FENCE_TIMEOUT", "The tenant is being worked on by something that excludes recording. Try again.");
    }
}
