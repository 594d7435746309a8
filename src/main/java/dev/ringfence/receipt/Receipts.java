package dev.ringfence.receipt;

import dev.ringfence.delivery.DeliveryState;
import dev.ringfence.reservation.Reserved;
import dev.ringfence.subscription.DeadStreaks;
import dev.ringfence.subscription.Streak;
import dev.ringfence.transport.OutcomeCode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** One transaction that stores what came of a batch of attempts (AT-2); it has committed when the method returns. */
@ApplicationScoped
public class Receipts {
    private final ReceiptRepository repository;
    private final DeadStreaks streaks;

    @Inject
    public Receipts(ReceiptRepository repository, DeadStreaks streaks) {
        this.repository = repository;
        this.streaks = streaks;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    Receipts() {
        this(null, null);
    }

    /**
     * Closes each attempt that is still open under its reservation and moves its delivery. An attempt that somebody else closed
     * meanwhile keeps that outcome; the answer is only noted beside it, and beside its marker where
     * a redaction left one (AT-8).
     *
     * @return the reservations that this call settled
     */
    @Transactional(Transactional.TxType.REQUIRES_NEW)
    public Set<UUID> settle(List<Settlement> settlements, Instant now) {
        if (settlements.isEmpty()) {
            return Set.of();
        }
        OffsetDateTime utc = now.atOffset(ZoneOffset.UTC);
        Set<UUID> settled = repository.settle(settlements, utc);
        streaks.count(ended(settlements, settled), now);
        if (settled.size() < settlements.size()) {
            List<Settlement> late = settlements.stream()
                    .filter(s -> !settled.contains(s.reserved().reservationId()))
                    .toList();
            repository.noteLate(late, utc);
            repository.noteOnMarkers(late, utc);
        }
        return settled;
    }

    /** What the settled ones say of their subscriptions' streaks, in the order in which the answers came (SB-6). */
    static Collection<Streak> ended(List<Settlement> settlements, Set<UUID> settled) {
        Map<UUID, Streak> ended = new HashMap<>();
        for (Settlement one : settlements) {
            Reserved reserved = one.reserved();
            if (reserved.test() || !settled.contains(reserved.reservationId())) {
                continue;
            }
            UUID subscription = reserved.subscriptionId();
            if (one.delivery() == DeliveryState.DEAD) {
                boolean gone = one.code() == OutcomeCode.GONE;
                ended.put(
                        subscription,
                        ended.getOrDefault(subscription, Streak.none(subscription))
                                .thenDead(gone));
            } else if (one.delivery() == DeliveryState.DELIVERED
                    && (reserved.troubled() || ended.containsKey(subscription))) {
                ended.put(
                        subscription,
                        ended.getOrDefault(subscription, Streak.none(subscription))
                                .thenDelivered());
            }
        }
        return ended.values();
    }
}
