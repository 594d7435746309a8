package dev.ringfence.ordering;

import dev.ringfence.delivery.DeliveryCounters;
import dev.ringfence.harness.LocalTransactions;
import java.time.Clock;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/** Releases in transactions of their own, without a container. */
public final class RealReleases extends Releases {
    private final LocalTransactions transactions;

    public RealReleases(LocalTransactions transactions) {
        super(new ReleaseRepository(transactions), new DeliveryCounters());
        this.transactions = transactions;
    }

    @Override
    public int release(Collection<OrderedKey> queues, Instant now) {
        return transactions.inNew(() -> super.release(queues, now));
    }

    @Override
    public List<OrderedKey> queuesAfter(OrderedKey place, int most) {
        return transactions.inNew(() -> super.queuesAfter(place, most));
    }

    /** A sweep of its own, at the beginning of its way. */
    public OrderSweep sweep(Clock clock) {
        return new OrderSweep(this, clock);
    }
}
