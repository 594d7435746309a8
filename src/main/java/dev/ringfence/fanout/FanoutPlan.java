package dev.ringfence.fanout;

import dev.ringfence.outbox.OutboxStatus;
import java.util.List;
import java.util.Set;

/**
 * What a publish transaction is going to write.
 *
 * @param moves one for each event of the plan
 * @param deliveries of the events that are published
 * @param rest events left for a transaction of their own, because the plan is full
 */
record FanoutPlan(List<OutboxMove> moves, List<PlannedDelivery> deliveries, List<ClaimedEvent> rest) {

    FanoutPlan {
        moves = List.copyOf(moves);
        deliveries = List.copyOf(deliveries);
        rest = List.copyOf(rest);
    }

    /** Nothing was written, all of it is left. */
    static FanoutPlan untouched(List<ClaimedEvent> events) {
        return new FanoutPlan(List.of(), List.of(), events);
    }

    long published() {
        return moves.stream()
                .filter(move -> move.status() == OutboxStatus.PUBLISHED)
                .count();
    }

    /** Deliveries that wait to be sent. */
    long queued() {
        return deliveries.stream()
                .filter(delivery -> delivery.fate() == Fate.SEND)
                .count();
    }

    /** The part of the plan whose events were still held. */
    FanoutPlan of(Set<Long> held) {
        return new FanoutPlan(
                moves.stream()
                        .filter(move -> held.contains(move.event().ordinal()))
                        .toList(),
                deliveries.stream()
                        .filter(delivery -> held.contains(delivery.event().ordinal()))
                        .toList(),
                rest);
    }
}
