package dev.ringfence.operator;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Work that an operator ordered, as the API shows it.
 *
 * @param code why it failed; {@code QUEUE_FULL} of one that runs, while it waits until less is waiting for its tenant
 * @param done deliveries taken
 * @param total deliveries that the work began with; more than {@code done} where some were in flight, discarded, or of an earlier epoch
 */
public record Job(
        UUID id,
        JobKind kind,
        JobStatus status,
        @Nullable String code,
        long done,
        long total,
        Instant createdAt,
        @Nullable Instant startedAt,
        @Nullable Instant finishedAt) {}
