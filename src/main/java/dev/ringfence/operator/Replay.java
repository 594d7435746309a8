package dev.ringfence.operator;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A replay under way: a bounded window of one subscription's deliveries (DL-4).
 *
 * @param epoch of the installation that it was ordered for
 * @param from of the deliveries' creation, inclusive
 * @param to of the deliveries' creation, exclusive
 * @param states as the database knows them
 * @param placeAt creation of the last delivery looked at; null before the first
 */
record Replay(
        UUID jobId,
        JobStatus status,
        UUID subscriptionId,
        UUID epoch,
        Instant from,
        Instant to,
        List<String> states,
        @Nullable Instant placeAt,
        long placeId) {

    Replay {
        states = List.copyOf(states);
    }
}
