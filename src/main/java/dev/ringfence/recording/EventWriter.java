package dev.ringfence.recording;

import dev.ringfence.lifecycle.TenantRef;
import dev.ringfence.outbox.DedupeKey;
import dev.ringfence.outbox.EventAt;
import dev.ringfence.outbox.KnownEvent;
import dev.ringfence.outbox.NewEvent;
import dev.ringfence.outbox.OrdinalsRepository;
import dev.ringfence.outbox.Origin;
import dev.ringfence.outbox.OutboxRepository;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
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
    List<EventResult> write(TenantRef tenant, Origin origin, RequestOrigin request, Submission submission) {
        submission.refuseReusedKeys();
        int count = submission.firsts().size();
        if (count == 0) {
            return List.of();
        }
        List<NewEvent> candidates = new Drafts(tenant, origin, request).of(submission, ordinals.next(count));
        Set<String> inserted = outbox.insert(origin, candidates);
        if (!inserted.isEmpty()) {
            queue.recorded(origin.tenantId(), inserted.size());
            recorded.fire(new Recorded(
                    origin.tenantId(),
                    candidates.stream()
                            .filter(candidate ->
                                    inserted.contains(candidate.envelope().eventId()))
                            .map(candidate -> new EventAt(
                                    candidate.ordinal(), candidate.envelope().recordedAt()))
                            .toList()));
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
