package dev.ringfence.recording;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.json.FieldError;
import dev.ringfence.outbox.DedupeKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The events of one request with what each is recognised by (RC-4). An event that repeats an earlier one of the same request
 * is a repetition of that one.
 */
final class Submission {
    private final List<SubmittedEvent> events;
    private final @Nullable String operationId;
    private final List<@Nullable DedupeKey> keys = new ArrayList<>();
    private final int[] first;
    private final List<FieldError> reused = new ArrayList<>();

    /** The events of an operation, or of no operation where {@code operationId} is null. */
    Submission(List<SubmittedEvent> events, @Nullable String operationId) {
        this.events = events;
        this.operationId = operationId;
        this.first = new int[events.size()];
        Map<DedupeKey, Integer> seen = new HashMap<>();
        for (int i = 0; i < first.length; i++) {
            DedupeKey key = key(events.get(i), i, operationId);
            keys.add(key);
            Integer earlier = key == null ? null : seen.putIfAbsent(key, i);
            first[i] = earlier == null ? i : earlier;
            expectContent(i, events.get(first[i]).contentSha256());
        }
    }

    private static @Nullable DedupeKey key(SubmittedEvent event, int index, @Nullable String operationId) {
        DedupeKey occurrence = event.occurrence();
        return occurrence == null && operationId != null ? DedupeKey.ofOperation(operationId, index) : occurrence;
    }

    /** Names of the events, in their order. */
    List<String> names() {
        return events.stream().map(event -> event.name().toString()).toList();
    }

    int size() {
        return events.size();
    }

    SubmittedEvent event(int index) {
        return events.get(index);
    }

    @Nullable
    DedupeKey key(int index) {
        return keys.get(index);
    }

    @Nullable
    String operationId() {
        return operationId;
    }

    /** Index of the event that this one repeats within the request; its own where it repeats none. */
    int first(int index) {
        return first[index];
    }

    /** Indexes of the events that repeat no earlier one of the request. */
    List<Integer> firsts() {
        return IntStream.range(0, first.length).filter(this::isFirst).boxed().toList();
    }

    /** Indexes of the milestones. */
    List<Integer> milestones() {
        return IntStream.range(0, first.length)
                .filter(i -> events.get(i).milestone())
                .boxed()
                .toList();
    }

    /** Whether the event repeats no earlier one of the request. */
    boolean isFirst(int index) {
        return first[index] == index;
    }

    /**
     * Notes an error where the event's content is not the one that its key stands for. A milestone's id says all that counts, so the
     * first one recorded wins.
     */
    void expectContent(int index, byte[] contentSha256) {
        if (!events.get(index).milestone() && !Arrays.equals(events.get(index).contentSha256(), contentSha256)) {
            reused.add(new FieldError(
                    events.get(index).keyPointer(), "OCCURRENCE_KEY_REUSED", "this key stands for another event"));
        }
    }

    /**
     * Refuses the request if a key was used for two contents.
     *
     * @throws ApiProblem 422 {@code OCCURRENCE_KEY_REUSED} with every place
     */
    void refuseReusedKeys() {
        if (!reused.isEmpty()) {
            throw new ApiProblem(
                    422,
                    "OCCURRENCE_KEY_REUSED",
                    "An occurrence key stands for another event already.",
                    reused,
                    Map.of());
        }
    }
}
