package dev.ringfence.fanout;

import java.time.Instant;
import java.util.List;

/**
 * A lease on a batch of events.
 *
 * @param holder who holds it, different for every claim: a publisher that lost its lease cannot mistake its successor's for its own
 * @param until when the lease runs out
 * @param takenOver how many of the events had an expired lease of somebody else (OB-2)
 */
record Claim(String holder, Instant until, List<ClaimedEvent> events, int takenOver) {

    Claim {
        events = List.copyOf(events);
    }
}
