package dev.ringfence.feed;

import java.util.Comparator;

/**
 * A place in a feed: the transaction that put the delivery there, then the delivery's number (PL-2). Whatever commits later has a place
 * behind everything that could be read before.
 *
 * @param transaction full transaction id ({@code xid8}), never reused within a cluster
 * @param delivery id of the delivery
 */
record FeedPosition(long transaction, long delivery) implements Comparable<FeedPosition> {

    /** Before everything. */
    static final FeedPosition START = new FeedPosition(0, 0);

    private static final Comparator<FeedPosition> ORDER =
            Comparator.comparingLong(FeedPosition::transaction).thenComparingLong(FeedPosition::delivery);

    @Override
    public int compareTo(FeedPosition other) {
        return ORDER.compare(this, other);
    }
}
