package dev.ringfence.recording;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.json.FieldError;
import dev.ringfence.lifecycle.LifecycleRepository;
import dev.ringfence.lifecycle.TenantLifecycle;
import dev.ringfence.lifecycle.TenantRef;
import dev.ringfence.lifecycle.TenantVerdict;
import dev.ringfence.outbox.DedupeKey;
import dev.ringfence.outbox.KnownEvent;
import dev.ringfence.outbox.OutboxRepository;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Checks the context of milestones against the tenant's own, under a lock of its row, so that the context that was checked is the
 * one that stands when the milestone commits (FN-4, LC-9). One that is recorded already is a repetition, however old its context.
 */
@ApplicationScoped
class MilestoneContexts {
    private final LifecycleRepository lifecycle;
    private final OutboxRepository outbox;

    @Inject
    MilestoneContexts(LifecycleRepository lifecycle, OutboxRepository outbox) {
        this.lifecycle = lifecycle;
        this.outbox = outbox;
    }

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    MilestoneContexts() {
        this(null, null);
    }

    /**
     * Lets a submission pass whose milestones are current or known.
     *
     * @throws ApiProblem 409 {@code STALE_CONTEXT} with the pointer of each that is neither
     */
    void refuseStale(TenantRef tenant, TenantVerdict.Current admitted, Submission submission) {
        List<Integer> milestones = submission.milestones();
        if (milestones.isEmpty()) {
            return;
        }
        TenantLifecycle row = lifecycle
                .findContext(tenant)
                .orElseThrow(() -> ApiProblem.conflict("STALE_EPOCH", "The tenant is not enrolled."));
        Map<DedupeKey, KnownEvent> known = outbox.known(
                row.tenantId(),
                admitted.row().epoch(),
                milestones.stream()
                        .map(index -> Objects.requireNonNull(submission.key(index)))
                        .toList());
        List<FieldError> stale = new ArrayList<>();
        for (int index : milestones) {
            SubmittedEvent milestone = submission.event(index);
            MilestoneContext context = Objects.requireNonNull(milestone.context());
            if (!known.containsKey(submission.key(index)) && !context.isCurrent(row)) {
                stale.add(new FieldError(
                        milestone.pointer() + "/context", "STALE_CONTEXT", "not the tenant's context any more"));
            }
        }
        if (!stale.isEmpty()) {
            String detail = row.enabled()
                    ? "A milestone belongs to a context that the tenant has left."
                    : "The tenant's tracking is disabled.";
            throw new ApiProblem(409, "STALE_CONTEXT", detail, stale, Map.of());
        }
    }
}
