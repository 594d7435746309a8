package dev.ringfence.tracking;

import dev.ringfence.json.StrictJson;
import dev.ringfence.lifecycle.TenantVerdict;
import dev.ringfence.outbox.RawJson;
import dev.ringfence.recording.Admission;
import dev.ringfence.recording.Milestones;
import dev.ringfence.recording.RequestOrigin;
import dev.ringfence.recording.TenantRequest;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Map;

/** The milestone of a committed save, in a transaction of its own under the shared fence (RC-2). */
@ApplicationScoped
class SettingsMilestone {
    /** Name of the milestone. */
    static final String NAME = "tenant.settings.saved.v1";

    private final Admission admission;
    private final ContextRepository contexts;
    private final Milestones milestones;
    private final Clock clock;

    @Inject
    SettingsMilestone(Admission admission, ContextRepository contexts, Milestones milestones, Clock clock) {
        this.admission = admission;
        this.contexts = contexts;
        this.milestones = milestones;
        this.clock = clock;
    }

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    SettingsMilestone() {
        this(null, null, null, null);
    }

    /**
     * Records it and moves the tenant's revision to that of the save. Where tracking is off, only the revision moves.
     *
     * @param actor name of the key that saved
     * @throws dev.ringfence.api.ApiProblem as {@link Admission#admit}; 429 {@code QUEUE_FULL}
     */
    @Transactional
    Tracking record(TenantRequest request, RequestOrigin origin, SettingsSaves.Saved saved, String actor) {
        TenantVerdict.Current admitted = admission.admit(request);
        TrackingContext context = contexts.revision(
                        admitted.row().tenantId(), request.epoch(), saved.revision(), clock.instant())
                .orElse(null);
        if (context == null) {
            return Tracking.not("STALE_EPOCH");
        }
        if (!context.enabled()) {
            return Tracking.not("TRACKING_DISABLED");
        }
        if (context.configurationRevision() != saved.revision()) {
            return Tracking.not("STALE_CONTEXT");
        }
        return Tracking.of(milestones.record(
                request.tenant(),
                admitted,
                origin,
                new Milestones.Milestone(
                        NAME,
                        "settings",
                        request.tenant().tenant(),
                        saved.at(),
                        json(Map.of("type", "service", "id", actor)),
                        json(context.milestones()),
                        context.milestones())));
    }

    private static RawJson json(Object document) {
        return RawJson.of(new String(StrictJson.write(document), StandardCharsets.UTF_8));
    }
}
