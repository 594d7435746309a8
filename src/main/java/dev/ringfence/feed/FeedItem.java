package dev.ringfence.feed;

import com.fasterxml.jackson.annotation.JsonRawValue;
import org.jspecify.annotations.Nullable;

/**
 * One delivery as its reader gets it.
 *
 * @param deliveryId its ordinal in decimal digits
 * @param ordinal of the event
 * @param cycle more than 1 where an operator put it back
 * @param test true or absent
 * @param cursor the place right behind this item, to be committed or read on from
 * @param sha256 lower-case hex digest of the envelope's bytes
 * @param envelope the event's exact bytes
 */
record FeedItem(
        String deliveryId,
        String eventId,
        long ordinal,
        int cycle,
        @Nullable Boolean test,
        String cursor,
        String sha256,
        @JsonRawValue String envelope) {}
