package dev.ringfence.fanout;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One delivery to be written.
 *
 * @param body what is sent; null where it is the event's own bytes, or nothing is sent
 */
@SuppressWarnings("ArrayRecordComponent") // bytes that nobody compares
record PlannedDelivery(ClaimedEvent event, UUID subscriptionId, Fate fate, byte @Nullable [] body) {}
