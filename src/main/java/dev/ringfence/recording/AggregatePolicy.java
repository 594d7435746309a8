package dev.ringfence.recording;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Extension point: a CDI bean that decides whether an operation on its aggregate type is accepted (RC-6). Without one every
 * well-formed operation with the expected version is.
 *
 * <p>It runs inside the recording transaction with the aggregate's row locked: it answers from what it is given, quickly, and
 * calls nobody. An exception fails the request and leaves nothing behind, not even a receipt.
 */
public interface AggregatePolicy {
    /** Whether this policy decides for the type. Where several do, all have to accept. */
    boolean governs(String aggregateType);

    /** Decides about one operation. */
    Verdict decide(Proposal proposal);

    /**
     * What is to be decided.
     *
     * @param currentState null where the aggregate does not exist yet
     * @param eventNames names of the events that would be published
     */
    record Proposal(
            UUID appId,
            String tenant,
            String aggregateType,
            String aggregateId,
            long currentVersion,
            @Nullable JsonNode currentState,
            JsonNode proposedState,
            List<String> eventNames) {}

    /** The decision. */
    sealed interface Verdict {
        /** State and events are recorded. */
        record Accepted() implements Verdict {}

        /** A durable receipt with the reason, and nothing else, is recorded. */
        record Rejected(String reason) implements Verdict {}
    }
}
