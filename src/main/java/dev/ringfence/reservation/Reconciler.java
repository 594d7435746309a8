package dev.ringfence.reservation;

import dev.ringfence.delivery.DeliveryCounters;
import dev.ringfence.reservation.AbandonedRepository.Closed;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;

/** Closes what a crash, or a receipt that could not be stored, left open (AT-5). Any node may run it at any time. */
@ApplicationScoped
public class Reconciler {
    private static final Logger LOG = System.getLogger(Reconciler.class.getName());
    private static final int BATCH = 500;

    private final AbandonedAttempts abandoned;
    private final DeliveryCounters counters;

    @Inject
    public Reconciler(AbandonedAttempts abandoned, DeliveryCounters counters) {
        this.abandoned = abandoned;
        this.counters = counters;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    Reconciler() {
        this(null, null);
    }

    /** Goes once over everything that is past its lease now, in bounded batches; returns how many attempts it closed. */
    public int reconcile() {
        int closed = 0;
        long after = Long.MIN_VALUE;
        List<Long> ids;
        do {
            ids = abandoned.find(after, BATCH);
            if (!ids.isEmpty()) {
                closed += close(ids);
                after = ids.get(ids.size() - 1);
            }
        } while (ids.size() == BATCH);
        return closed;
    }

    private int close(List<Long> ids) {
        try {
            return told(abandoned.close(ids));
        } catch (RuntimeException whole) {
            LOG.log(
                    Level.WARNING,
                    "reconcile: batch of {0} failed, going on one by one: {1}",
                    ids.size(),
                    whole.getMessage());
            return ids.stream().mapToInt(this::closeOne).sum();
        }
    }

    private int closeOne(long id) {
        try {
            return told(abandoned.close(List.of(id)));
        } catch (RuntimeException poisoned) {
            LOG.log(Level.WARNING, "reconcile: delivery={0} stays open: {1}", id, poisoned.getMessage());
            return 0;
        }
    }

    /** OB-6: one fact per transition, when it has committed. */
    private int told(List<Closed> closed) {
        for (Closed one : closed) {
            String what = one.test() ? "test." : "";
            counters.add(what + "attempt.ABANDONED", 1);
            counters.add(what + "delivery." + one.state(), 1);
            LOG.log(
                    Level.DEBUG,
                    "transition=delivery.{0} outcome=UNCERTAIN code=ABANDONED ends={1} delivery={2} attempt={3}",
                    one.state(),
                    one.code(),
                    Long.toString(one.deliveryId()),
                    one.attempt());
        }
        return closed.size();
    }
}
