package dev.ringfence.feed;

/** What an administrator sees of feeds over JMX, under {@code dev.ringfence:type=Feed} (AD-1, PL-3). */
public interface FeedMXBean {
    /** Requests that wait on this node for something to read. */
    int getWaitingPolls();

    /** Age of the oldest open transaction of the cluster in seconds; 0 for none. */
    long getOldestTransactionSeconds();

    /** Who has it: {@code NONE}, {@code SESSION}, {@code PREPARED} or {@code UNSEEN}. */
    String getOldestTransactionKind();

    /** Whether it is older than {@code ringfence.transactions.alarm-after}. */
    boolean isOldestTransactionAlarm();

    /** How many transactions the farthest replication slot lies back. */
    long getReplicationSlotTransactions();
}
