package dev.ringfence.recording;

import dev.ringfence.json.StrictJson;
import dev.ringfence.lifecycle.TenantRef;
import dev.ringfence.lifecycle.TenantVerdict;
import dev.ringfence.outbox.EventName;
import dev.ringfence.outbox.RawJson;
import dev.ringfence.time.DatabaseTime;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/** Records milestones for features of ours, in the caller's transaction and after {@link Admission} (RC-2). */
@ApplicationScoped
public class Milestones {
    private final QueueDepth queue;
    private final EventWriter writer;
    private final Clock clock;

    @Inject
    Milestones(QueueDepth queue, EventWriter writer, @DatabaseTime Clock clock) {
        this.queue = queue;
        this.writer = writer;
        this.clock = clock;
    }

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    Milestones() {
        this(null, null, null);
    }

    /**
     * A milestone about a tenant.
     *
     * @param name a valid event name
     * @param payload a JSON object
     * @param context as it stands under the lock that the caller holds on the tenant's row
     */
    public record Milestone(
            String name,
            String aggregateType,
            String aggregateId,
            Instant occurredAt,
            RawJson actor,
            RawJson payload,
            MilestoneContext context) {

        private SubmittedEvent submitted() {
            if (!(EventName.parse(name) instanceof EventName.Parsed.Valid valid)) {
                throw new IllegalArgumentException("not an event name: " + name);
            }
            byte[] content =
                    ContentHash.of(StrictJson.parse(payload.text().getBytes(java.nio.charset.StandardCharsets.UTF_8)));
            return new SubmittedEvent(
                    "",
                    valid.name(),
                    aggregateType,
                    aggregateId,
                    occurredAt,
                    actor,
                    payload,
                    RawJson.EMPTY_OBJECT,
                    null,
                    null,
                    null,
                    null,
                    null,
                    context,
                    content);
        }
    }

    /**
     * Records it, or finds it recorded.
     *
     * @return its id
     * @throws dev.ringfence.api.ApiProblem 429 {@code QUEUE_FULL}
     */
    public String record(TenantRef tenant, TenantVerdict.Current admitted, RequestOrigin origin, Milestone milestone) {
        queue.refuseBeyondBound(admitted.row().tenantId(), 1);
        Submission submission = new Submission(List.of(milestone.submitted()), null);
        EventResult result = writer.write(tenant, origin.of(admitted, clock.instant()), origin, submission)
                .get(0);
        return Objects.requireNonNull(result.eventId());
    }
}
