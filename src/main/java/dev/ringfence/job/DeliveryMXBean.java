package dev.ringfence.job;

import java.util.Map;

/** What an administrator sees and does over JMX, under {@code dev.ringfence:type=Delivery} (AD-1). */
public interface DeliveryMXBean {
    /** Whether this node fans out and delivers. */
    boolean isOn();

    /** Deliveries this node has in hand now. */
    int getInHand();

    /** What this node did since it started, by transition (OB-6). */
    Map<String, Long> getCounters();

    /** Starts nothing new on this node; what is under way ends as usual, nothing is cancelled (RT-2). */
    void pause();

    /** Goes on after {@link #pause}. */
    void resume();
}
