package dev.ringfence.recording;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.outbox.RawJson;

/**
 * A change of one aggregate with the events that tell of it (RC-6).
 *
 * @param expectedVersion the version that must stand; 0 where the aggregate must not exist
 * @param rawState the new state as it was submitted
 * @param contentSha256 the same for the same operation, however its request is printed; the caller's clock does not count
 */
record Operation(
        String clientOperationId,
        String aggregateType,
        String aggregateId,
        long expectedVersion,
        JsonNode state,
        RawJson rawState,
        Submission submission,
        byte[] contentSha256) {

    /** Reads an operation out of a valid body. */
    static Operation of(RecordingRequests.Body body) {
        JsonNode document = body.document();
        JsonNode aggregate = document.get("aggregate");
        String id = document.get("clientOperationId").textValue();
        RawJson rawState = body.raw().at("/state");
        if (rawState == null) {
            throw new IllegalArgumentException("an unchecked operation");
        }
        return new Operation(
                id,
                aggregate.get("type").textValue(),
                aggregate.get("id").textValue(),
                aggregate.get("expectedVersion").longValue(),
                document.get("state"),
                rawState,
                new Submission(body.events(), id),
                ContentHash.of(aggregate, document.get("state"), document.get("events")));
    }

    AggregateKey aggregate(long tenantId) {
        return new AggregateKey(tenantId, aggregateType, aggregateId);
    }
}
