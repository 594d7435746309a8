package dev.ringfence.fanout;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A lease on a batch of events.
 *
 * @param holder who holds it, different for every claim: a publisher that lost its lease cannot mistake its successor's for its own
 * @param until when the lease runs out
 * @param takenOver how many of the events had an expired lease of somebody else (OB-2)
 * @param lastTenant the last tenant of which due events were taken, {@link Turn#START} where there was none
 */
record Claim(String holder, Instant until, List<ClaimedEvent> events, int takenOver, long lastTenant) {

    Claim {
        events = List.copyOf(events);
    }

    /** How many were due. */
    int due() {
        return events.size() - takenOver;
    }

    /** This claim and another of the same holder. */
    Claim and(Claim other) {
        List<ClaimedEvent> all = Stream.concat(events.stream(), other.events.stream())
                .sorted(Comparator.comparingLong(ClaimedEvent::ordinal))
                .toList();
        return new Claim(holder, until, all, takenOver + other.takenOver, other.lastTenant);
    }
}
