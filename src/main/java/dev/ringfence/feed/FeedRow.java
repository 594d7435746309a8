package dev.ringfence.feed;

import org.jspecify.annotations.Nullable;

/**
 * A delivery that waits in a feed.
 *
 * @param eventName null for a test send, which no event stands behind
 * @param bytes the exact bytes of the event; null once they are no longer kept
 */
@SuppressWarnings("ArrayRecordComponent") // bytes that nobody compares
record FeedRow(
        FeedPosition position,
        String eventId,
        long ordinal,
        int cycle,
        boolean test,
        @Nullable String eventName,
        byte @Nullable [] bytes,
        byte @Nullable [] sha256) {}
