package dev.ringfence.receipt;

import dev.ringfence.delivery.DeliveryCounters;
import dev.ringfence.delivery.DeliveryStorageException;
import dev.ringfence.transaction.CommitFailed;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Takes outcomes and gets them stored: a batch as a whole, repeated where only concurrency or the connection was to blame, then by halves, so that
 * a receipt that cannot be stored harms no other. What cannot be stored stays open in the ledger, spent, until it is reconciled.
 */
@ApplicationScoped
public class ReceiptDesk {
    private static final Logger LOG = System.getLogger(ReceiptDesk.class.getName());
    private static final int TRIES = 3;

    private final Receipts receipts;
    private final DeliveryCounters counters;

    @Inject
    public ReceiptDesk(Receipts receipts, DeliveryCounters counters) {
        this.receipts = receipts;
        this.counters = counters;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    ReceiptDesk() {
        this(null, null);
    }

    /** Stores what can be stored; never throws because of the database. */
    public void hand(List<Settlement> settlements, Instant now) {
        try {
            count(settlements, repeated(settlements, now));
        } catch (RuntimeException whole) {
            if (settlements.size() == 1 || outOfReach(whole)) {
                settlements.forEach(one -> giveUp(one, whole));
            } else {
                int half = settlements.size() / 2;
                LOG.log(
                        Level.WARNING,
                        "receipts: batch of {0} failed, going on with its halves: {1}",
                        settlements.size(),
                        whole.getMessage());
                hand(settlements.subList(0, half), now);
                hand(settlements.subList(half, settlements.size()), now);
            }
        }
    }

    /** Smaller batches would not get there either, and each would take its time to find out. */
    private static boolean outOfReach(RuntimeException failed) {
        return failed instanceof DeliveryStorageException storage && storage.outOfReach();
    }

    private Set<UUID> repeated(List<Settlement> settlements, Instant now) {
        for (int tries = 1; ; tries++) {
            try {
                return receipts.settle(settlements, now);
            } catch (DeliveryStorageException | CommitFailed lost) {
                if (tries == TRIES || !worthRepeating(lost)) {
                    throw lost;
                }
            }
        }
    }

    /** What a commit of unknown end has settled, the repetition finds settled. */
    private static boolean worthRepeating(RuntimeException lost) {
        return !(lost instanceof DeliveryStorageException storage) || storage.worthRepeating();
    }

    private void giveUp(Settlement settlement, RuntimeException why) {
        counters.add("receipt.LOST", 1);
        LOG.log(Level.WARNING, "receipts: {0} stays open: {1}", settlement.reserved(), why.getMessage());
    }

    private void count(List<Settlement> settlements, Set<UUID> settled) {
        counters.add("receipt.LATE", (long) settlements.size() - settled.size());
        for (Settlement s : settlements) {
            if (settled.contains(s.reserved().reservationId())) {
                String what = s.reserved().test() ? "test." : "";
                counters.add(what + "attempt." + s.attempt(), 1);
                counters.add(what + "delivery." + s.delivery().text(), 1);
                log(s);
            }
        }
    }

    /** OB-6: one fact per transition. */
    private static void log(Settlement s) {
        LOG.log(
                Level.DEBUG,
                "transition=delivery.{0} outcome={1} code={2} delivery={3} attempt={4} reservation={5}",
                s.delivery().text(),
                s.attempt(),
                s.code(),
                Long.toString(s.reserved().deliveryId()),
                s.reserved().number(),
                s.reserved().reservationId());
    }
}
