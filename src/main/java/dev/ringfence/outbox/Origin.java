package dev.ringfence.outbox;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What all events of one recording transaction have in common.
 *
 * @param epoch the installation they belong to; re-checked before each delivery (FN-4)
 * @param requestStartedAt effective start of the request, travels with all deferred work (LC-3)
 * @param recordedAt when they are recorded, cut to microseconds
 * @param traceparent W3C trace context of the request, if it had a valid one (SG-5)
 */
public record Origin(
        UUID appId,
        long tenantId,
        UUID epoch,
        Instant requestStartedAt,
        Instant recordedAt,
        @Nullable String traceparent) {}
