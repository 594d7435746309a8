package dev.ringfence.ordering;

import dev.ringfence.management.ShownWhileDeployed;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

/** Shows the order of deliveries in the platform's MBean server as long as the application is deployed. */
@ApplicationScoped
public class OrderManagement extends ShownWhileDeployed implements OrderMXBean {
    private static final int MOST = 100_000;

    private final ReleaseRepository rows;

    @Inject
    public OrderManagement(ReleaseRepository rows) {
        super("Ordering");
        this.rows = rows;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    OrderManagement() {
        this(null);
    }

    @Override
    public long getHeldDeliveries() {
        return rows.held(MOST);
    }

    @Override
    public long getBlockedKeys() {
        return rows.blocked(MOST);
    }
}
