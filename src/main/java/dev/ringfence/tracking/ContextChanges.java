package dev.ringfence.tracking;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.recording.Admission;
import dev.ringfence.recording.TenantRequest;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.time.Clock;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Changes of theme and tracking, each one transaction under the shared fence (FN-2). */
@ApplicationScoped
class ContextChanges {
    private final Admission admission;
    private final ContextRepository contexts;
    private final Clock clock;

    @Inject
    ContextChanges(Admission admission, ContextRepository contexts, Clock clock) {
        this.admission = admission;
        this.contexts = contexts;
        this.clock = clock;
    }

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    ContextChanges() {
        this(null, null, null);
    }

    /**
     * Notes the published theme.
     *
     * @throws ApiProblem as {@link Admission#admit}; 409 {@code STALE_CONTEXT} where a later check is noted already
     */
    @Transactional
    TrackingContext theme(TenantRequest request, @Nullable String themeId, Instant checkedAt) {
        long tenantId = admission.admit(request).row().tenantId();
        return contexts.theme(tenantId, request.epoch(), themeId, checkedAt, clock.instant())
                .orElseThrow(
                        () -> ApiProblem.conflict("STALE_CONTEXT", "A later check of the theme is noted already."));
    }

    /**
     * Switches tracking on or off.
     *
     * @throws ApiProblem as {@link Admission#admit}
     */
    @Transactional
    TrackingContext enabled(TenantRequest request, boolean enabled) {
        long tenantId = admission.admit(request).row().tenantId();
        return contexts.enabled(tenantId, request.epoch(), enabled, clock.instant())
                .orElseThrow(() -> ApiProblem.conflict("STALE_EPOCH", "The tenant is not enrolled under this epoch."));
    }
}
