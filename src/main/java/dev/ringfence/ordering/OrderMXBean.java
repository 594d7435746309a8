package dev.ringfence.ordering;

/** What an administrator sees of ordered deliveries over JMX, under {@code dev.ringfence:type=Ordering} (AD-1, OB-5). */
public interface OrderMXBean {
    /** Deliveries of all nodes that wait for their turn; counts no further than 100,000. Asks the database. */
    long getHeldDeliveries();

    /** Queues that a dead delivery holds until somebody sends it again or discards it; counts no further than 100,000. Asks the database. */
    long getBlockedKeys();
}
