package dev.ringfence.inbox;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * One event that came in.
 *
 * @param consumer the consumer it came for
 * @param eventId unique per consumer
 * @param appId the sending application, as the sender wrote it
 * @param eventName {@code context.aggregate.fact.vN}
 * @param envelope the whole event, with fields that nobody here knows (IN-2)
 * @param sha256 of the event: of the request body where it is the only one in it
 */
public record InboxEvent(
        String consumer, String eventId, String appId, String eventName, JsonNode envelope, byte[] sha256) {}
