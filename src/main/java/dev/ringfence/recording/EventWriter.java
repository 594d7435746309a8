package dev.ringfence.recording;

import dev.ringfence.outbox.DedupeKey;
import dev.ringfence.outbox.Envelope;
import dev.ringfence.outbox.KnownEvent;
import dev.ringfence.outbox.NewEvent;
import dev.ringfence.outbox.OrdinalsRepository;
import dev.ringfence.outbox.Origin;
import dev.ringfence.outbox.OutboxRepository;
import dev.ringfence.signing.EventIds;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Writes a request's events in the caller's transaction: ordinals, ids, bytes, and the rows of those that are new. However
 * many events, it takes three statements at most.
 */
@ApplicationScoped
class EventWriter {
    private final OrdinalsRepository ordinals;
    private final OutboxRepository outbox;
    private final QueueDepth queue;
    private final Event<Recorded> recorded;

    @Inject
    EventWriter(OrdinalsRepository ordinals, OutboxRepository outbox, QueueDepth queue, Event<Recorded> recorded) {
        this.ordinals = ordinals;
        this.outbox = outbox;
        this.queue = queue;
        this.recorded = recorded;
    }

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    EventWriter() {
        this(null, null, null, null);
    }

    /**
     * Records the events that are new.
     *
     * @return one result for each event, in their order
     * @throws dev.ringfence.api.ApiProblem 422 {@code OCCURRENCE_KEY_REUSED}; the transaction must be rolled back
     */
    List<EventResult> write(Origin origin, RequestOrigin request, Submission submission) {
        submission.refuseReusedKeys();
        List<NewEvent> candidates = candidates(origin, request, submission);
        if (candidates.isEmpty()) {
            return List.of();
        }
        Set<String> inserted = outbox.insert(origin, candidates);
        if (!inserted.isEmpty()) {
            queue.recorded(origin.tenantId(), inserted.size());
            recorded.fire(new Recorded(origin.tenantId(), inserted.size()));
        }
        return results(origin, submission, candidates, inserted);
    }

    /** What {@link #write} would answer, without taking an ordinal or writing anything (RC-11). */
    List<EventResult> preview(Origin origin, Submission submission) {
        List<DedupeKey> keys = new ArrayList<>();
        for (int i = 0; i < submission.size(); i++) {
            DedupeKey key = submission.key(i);
            if (key != null) {
                keys.add(key);
            }
        }
        Map<DedupeKey, KnownEvent> known = outbox.known(origin.tenantId(), origin.epoch(), keys);
        List<EventResult> results = new ArrayList<>();
        for (int i = 0; i < submission.size(); i++) {
            DedupeKey key = submission.key(i);
            KnownEvent before = key == null ? null : known.get(key);
            if (before == null) {
                results.add(new EventResult(null, null, !submission.isFirst(i)));
            } else {
                submission.expectContent(i, before.contentSha256());
                results.add(new EventResult(before.eventId(), before.ordinal(), true));
            }
        }
        submission.refuseReusedKeys();
        return results;
    }

    private List<NewEvent> candidates(Origin origin, RequestOrigin request, Submission submission) {
        List<Integer> firsts = new ArrayList<>();
        for (int i = 0; i < submission.size(); i++) {
            if (submission.isFirst(i)) {
                firsts.add(i);
            }
        }
        long[] numbers = firsts.isEmpty() ? new long[0] : ordinals.next(firsts.size());
        List<NewEvent> candidates = new ArrayList<>();
        for (int i = 0; i < numbers.length; i++) {
            candidates.add(candidate(origin, request, submission, firsts.get(i), numbers[i]));
        }
        return candidates;
    }

    private static NewEvent candidate(
            Origin origin, RequestOrigin request, Submission submission, int index, long ordinal) {
        SubmittedEvent event = submission.event(index);
        String causationId = event.causationId();
        Envelope envelope = new Envelope(
                origin.appId(),
                EventIds.event(origin.recordedAt(), ordinal, identity(origin, event)),
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
                event.metadata());
        return new NewEvent(
                ordinal,
                envelope,
                envelope.bytes(),
                submission.key(index),
                event.contentSha256(),
                event.occurrenceKey(),
                event.orderingKey());
    }

    /** What the id binds besides time and ordinal: the content and whose it is (SG-2). */
    private static byte[] identity(Origin origin, SubmittedEvent event) {
        ByteBuffer identity = ByteBuffer.allocate(5 * Long.BYTES + event.contentSha256().length);
        identity.putLong(origin.appId().getMostSignificantBits())
                .putLong(origin.appId().getLeastSignificantBits());
        identity.putLong(origin.epoch().getMostSignificantBits())
                .putLong(origin.epoch().getLeastSignificantBits());
        identity.putLong(origin.tenantId()).put(event.contentSha256());
        return DedupeKey.sha256(identity.array());
    }

    private List<EventResult> results(
            Origin origin, Submission submission, List<NewEvent> candidates, Set<String> inserted) {
        List<DedupeKey> repeated = candidates.stream()
                .filter(candidate -> !inserted.contains(candidate.envelope().eventId()))
                .map(candidate -> Objects.requireNonNull(candidate.dedupeKey()))
                .toList();
        Map<DedupeKey, KnownEvent> known = outbox.known(origin.tenantId(), origin.epoch(), repeated);
        List<EventResult> results = new ArrayList<>();
        int next = 0;
        for (int i = 0; i < submission.size(); i++) {
            if (!submission.isFirst(i)) {
                EventResult original = results.get(submission.first(i));
                results.add(new EventResult(original.eventId(), original.ordinal(), true));
                continue;
            }
            NewEvent candidate = candidates.get(next++);
            if (inserted.contains(candidate.envelope().eventId())) {
                results.add(new EventResult(candidate.envelope().eventId(), candidate.ordinal(), false));
            } else {
                KnownEvent before = Objects.requireNonNull(known.get(submission.key(i)), "a key without its event");
                submission.expectContent(i, before.contentSha256());
                results.add(new EventResult(before.eventId(), before.ordinal(), true));
            }
        }
        submission.refuseReusedKeys();
        return results;
    }
}
