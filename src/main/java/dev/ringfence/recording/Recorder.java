package dev.ringfence.recording;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.idempotency.Idempotency;
import dev.ringfence.idempotency.IdempotentAnswer;
import dev.ringfence.idempotency.Outcome;
import dev.ringfence.idempotency.TenantScope;
import dev.ringfence.lifecycle.TenantVerdict;
import dev.ringfence.outbox.Origin;
import dev.ringfence.time.DatabaseTime;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.time.Clock;
import java.util.List;

/** Records events in one transaction: admission, repetitions, rows; all of it or nothing (RC-1, RC-8). */
@ApplicationScoped
class Recorder {
    private final Admission admission;
    private final Idempotency idempotency;
    private final QueueDepth queue;
    private final MilestoneContexts contexts;
    private final EventWriter writer;
    private final Clock clock;

    @Inject
    Recorder(
            Admission admission,
            Idempotency idempotency,
            QueueDepth queue,
            MilestoneContexts contexts,
            EventWriter writer,
            @DatabaseTime Clock clock) {
        this.admission = admission;
        this.idempotency = idempotency;
        this.queue = queue;
        this.contexts = contexts;
        this.writer = writer;
        this.clock = clock;
    }

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    Recorder() {
        this(null, null, null, null, null, null);
    }

    /** Answer to a recording. */
    record Recording(List<EventResult> results, String correlationId) {}

    /** Answer to a dry run: what was checked is no receipt (RC-11). */
    record DryRun(boolean dryRun, boolean receipt, List<EventResult> results, String correlationId) {}

    /**
     * Records the events of a request.
     *
     * @throws ApiProblem as {@link Admission#admit}; 409 {@code STALE_CONTEXT}; 422 {@code OCCURRENCE_KEY_REUSED}; 429
     *     {@code QUEUE_FULL}
     */
    @Transactional
    IdempotentAnswer record(TenantRequest request, RequestOrigin origin, PostedBody posted, Submission submission) {
        TenantVerdict.Current tenant = admission.admit(request);
        TenantScope scope = new TenantScope(tenant.row().tenantId(), request.epoch());
        return idempotency.execute(posted.key(), posted.path(), posted.caller(), posted.bytes(), scope, () -> {
            contexts.refuseStale(request.tenant(), tenant, submission);
            admitToQueue(tenant, submission);
            List<EventResult> results = writer.write(request.tenant(), origin(tenant, origin), origin, submission);
            return Outcome.of(202, new Recording(results, origin.correlationId()));
        });
    }

    /** Every check of {@link #record}, and nothing recorded. */
    @Transactional
    DryRun check(TenantRequest request, RequestOrigin origin, Submission submission) {
        TenantVerdict.Current tenant = admission.admit(request);
        contexts.refuseStale(request.tenant(), tenant, submission);
        admitToQueue(tenant, submission);
        List<EventResult> results = writer.preview(origin(tenant, origin), submission);
        return new DryRun(true, false, results, origin.correlationId());
    }

    private void admitToQueue(TenantVerdict.Current tenant, Submission submission) {
        queue.refuseBeyondBound(tenant.row().tenantId(), submission.size());
    }

    private Origin origin(TenantVerdict.Current tenant, RequestOrigin origin) {
        return origin.of(tenant, clock.instant());
    }
}
