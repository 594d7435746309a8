package dev.ringfence.recording;

import dev.ringfence.lifecycle.TenantRef;
import dev.ringfence.outbox.DedupeKey;
import dev.ringfence.outbox.Envelope;
import dev.ringfence.outbox.NewEvent;
import dev.ringfence.outbox.Origin;
import dev.ringfence.signing.EventIds;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Makes the events of a submission: id, envelope and bytes. Whether they are new is for the database to say. */
final class Drafts {
    private final Origin origin;
    private final RequestOrigin request;
    private final TenantRef tenant;

    Drafts(TenantRef tenant, Origin origin, RequestOrigin request) {
        this.tenant = tenant;
        this.origin = origin;
        this.request = request;
    }

    /** One event for each of the submission's {@link Submission#firsts}, with the ordinals in their order. */
    List<NewEvent> of(Submission submission, long[] ordinals) {
        List<Integer> firsts = submission.firsts();
        List<NewEvent> drafts = new ArrayList<>(firsts.size());
        for (int i = 0; i < firsts.size(); i++) {
            drafts.add(draft(submission, firsts.get(i), ordinals[i]));
        }
        return drafts;
    }

    private NewEvent draft(Submission submission, int index, long ordinal) {
        SubmittedEvent event = submission.event(index);
        Envelope envelope = envelope(event, ordinal, submission);
        return new NewEvent(
                ordinal,
                envelope,
                envelope.bytes(),
                submission.key(index),
                event.contentSha256(),
                event.occurrenceKey(),
                event.milestone());
    }

    private Envelope envelope(SubmittedEvent event, long ordinal, Submission submission) {
        String causationId = event.causationId();
        return new Envelope(
                origin.appId(),
                id(event, ordinal),
                event.name(),
                event.occurredAt(),
                origin.recordedAt(),
                event.aggregateType(),
                event.aggregateId(),
                event.workspaceId(),
                event.relationshipId(),
                event.actor(),
                request.correlationId(),
                causationId == null ? request.requestId() : causationId,
                submission.operationId(),
                event.payload(),
                event.metadata(),
                event.orderingKey());
    }

    private String id(SubmittedEvent event, long ordinal) {
        MilestoneContext context = event.context();
        return context == null
                ? EventIds.event(origin.recordedAt(), ordinal, identity(event))
                : MilestoneId.of(tenant, origin.epoch(), event.name().toString(), context, event.occurrenceKey());
    }

    /** What the id binds besides time and ordinal: the content and whose it is (SG-2). */
    private byte[] identity(SubmittedEvent event) {
        ByteBuffer identity = ByteBuffer.allocate(5 * Long.BYTES + event.contentSha256().length);
        identity.putLong(origin.appId().getMostSignificantBits())
                .putLong(origin.appId().getLeastSignificantBits());
        identity.putLong(origin.epoch().getMostSignificantBits())
                .putLong(origin.epoch().getLeastSignificantBits());
        identity.putLong(origin.tenantId()).put(event.contentSha256());
        return DedupeKey.sha256(identity.array());
    }
}
