package dev.ringfence.reservation;

import dev.ringfence.delivery.DeliveryCounters;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;

/**
 * Reserves and gives back, each in a transaction of its own that has committed when the method returns (AT-1, AT-3). Callers hold
 * the tenants' fences.
 */
@ApplicationScoped
public class Reservations {
    private final ReservationRepository repository;
    private final DeliveryCounters counters;

    @Inject
    public Reservations(ReservationRepository repository, DeliveryCounters counters) {
        this.repository = repository;
        this.counters = counters;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    Reservations() {
        this(null, null);
    }

    /**
     * Reserves those of the wanted deliveries that may still be attempted: live, due, in date, with attempts left, of an active
     * tenant in the same epoch, an enabled application and an active subscription whose circuit is closed, or lets this one through. What is not in the answer was lost to
     * somebody else or may not be sent; that is no error.
     */
    @Transactional(Transactional.TxType.REQUIRES_NEW)
    public List<Reserved> reserve(ReservationOrder order) {
        if (order.wanted().isEmpty()) {
            return List.of();
        }
        List<Reserved> reserved = repository.reserve(order);
        counters.add("reservation.made", reserved.size());
        counters.add("circuit.PROBED", reserved.stream().filter(Reserved::probe).count());
        counters.add("reservation.lost", (long) order.wanted().size() - reserved.size());
        return reserved;
    }

    /**
     * Gives back reservations whose HTTP exchange certainly never started: the attempt stays in the ledger as not counted and the
     * delivery is due again. Works once per reservation.
     *
     * @return how many were given back; the others had been closed by somebody else
     */
    @Transactional(Transactional.TxType.REQUIRES_NEW)
    public int release(List<Reserved> unstarted, Instant now) {
        if (unstarted.isEmpty()) {
            return 0;
        }
        int released = repository.release(unstarted, now.atOffset(ZoneOffset.UTC));
        counters.add("attempt.RELEASED", released);
        return released;
    }
}
