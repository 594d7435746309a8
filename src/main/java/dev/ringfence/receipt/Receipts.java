package dev.ringfence.receipt;

import dev.ringfence.delivery.AttemptState;
import dev.ringfence.delivery.DeliveryState;
import dev.ringfence.ordering.OrderedKeys;
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
    private final OrderedKeys keys;

    @Inject
    public Receipts(ReceiptRepository repository, DeadStreaks streaks, OrderedKeys keys) {
        this.repository = repository;
        this.streaks = streaks;
        this.keys = keys;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    Receipts() {
        this(null, null, null);
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
        Settled stored = repository.settle(settlements, utc);
        Map<UUID, Boolean> settled = stored.troubled();
        streaks.count(ended(settlements, settled), now);
        keys.moved(stored.freed());
        if (settled.size() < settlements.size()) {
            List<Settlement> late = settlements.stream()
                    .filter(s -> !settled.containsKey(s.reserved().reservationId()))
                    .toList();
            repository.noteLate(late, utc);
            repository.noteOnMarkers(late, utc);
        }
        return settled.keySet();
    }

    /**
     * What the settled ones say of their subscriptions, in the order in which the answers came (SB-6, SB-7).
     *
     * @param settled with each reservation whether an answer would end something
     */
    static Collection<Streak> ended(List<Settlement> settlements, Map<UUID, Boolean> settled) {
        Map<UUID, Streak> ended = new HashMap<>();
        for (Settlement one : settlements) {
            Boolean troubled = settled.get(one.reserved().reservationId());
            if (troubled != null) {
                UUID subscription = one.reserved().subscriptionId();
                boolean tells = troubled || ended.containsKey(subscription);
                Streak before = ended.getOrDefault(subscription, Streak.none(subscription));
                Streak after = after(before, one, tells);
                if (!after.equals(before)) {
                    ended.put(subscription, after);
                }
            }
        }
        return ended.values();
    }

    private static Streak after(Streak before, Settlement one, boolean tells) {
        boolean test = one.reserved().test();
        Streak after = before;
        if (!test && one.delivery() == DeliveryState.DEAD && receiversDoing(one)) {
            after = after.thenDead(one.code() == OutcomeCode.GONE);
        } else if (!test && one.delivery() == DeliveryState.DELIVERED && tells) {
            after = after.thenDelivered();
        }
        if (test && !one.reserved().probe()) {
            return after;
        }
        return switch (one.attempt()) {
            case ACKNOWLEDGED -> tells ? after.thenAnswered() : after;
            case FAILED -> tells && receiversDoing(one) ? after.thenAnswered() : after;
            case UNCERTAIN, NOT_SENT ->
                receiversDoing(one) ? after.thenFailing(one.reserved().probe()) : after;
            default -> after;
        };
    }

    /** Not ours: losing the fence, or a refusal without a status, where nothing was asked. */
    private static boolean receiversDoing(Settlement one) {
        return one.code() != OutcomeCode.FENCE_LOST && (one.attempt() != AttemptState.FAILED || one.status() != null);
    }
}
