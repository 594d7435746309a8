package dev.ringfence.recording;

import java.time.Instant;

/**
 * The state of an aggregate as last accepted.
 *
 * @param version counts accepted operations, from 1
 * @param state the JSON text as it was submitted
 */
record Aggregate(String type, String id, long version, String state, Instant createdAt, Instant updatedAt) {}
