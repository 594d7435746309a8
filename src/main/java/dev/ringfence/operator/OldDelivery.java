package dev.ringfence.operator;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A delivery that may go into a new cycle, its row locked.
 *
 * @param state as the database knows it
 * @param orderKey the key whose order it keeps; null where it keeps none
 * @param open whether an attempt is open
 * @param retained whether there are bytes that it can send: kept, and ever made
 * @param subscription status of its subscription; null where that is gone
 */
record OldDelivery(
        long id,
        Instant createdAt,
        long tenantId,
        UUID epoch,
        UUID subscriptionId,
        String state,
        @Nullable String orderKey,
        boolean open,
        boolean discarded,
        boolean retained,
        @Nullable String subscription) {}
