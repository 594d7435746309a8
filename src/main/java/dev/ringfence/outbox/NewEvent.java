package dev.ringfence.outbox;

import org.jspecify.annotations.Nullable;

/**
 * An event about to be recorded.
 *
 * @param ordinal its own number from the one sequence (RC-7)
 * @param bytes {@link Envelope#bytes()}, built once (RC-5)
 * @param dedupeKey null where the producer gave nothing to recognise a repetition by
 * @param contentSha256 hash of what was submitted, the same for the same content
 */
public record NewEvent(
        long ordinal,
        Envelope envelope,
        byte[] bytes,
        @Nullable DedupeKey dedupeKey,
        byte[] contentSha256,
        @Nullable String occurrenceKey,
        boolean milestone) {}
