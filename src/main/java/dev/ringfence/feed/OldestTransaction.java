package dev.ringfence.feed;

import java.time.Duration;

/**
 * The oldest open transaction, as far as can be seen.
 *
 * @param age at least so long it has been open
 * @param kind who has it
 * @param pid of its session; 0 where it has none, or where we may not see it
 * @param slotTransactions how many transactions the farthest replication slot lies back: it holds no feed, but keeps vacuum from cleaning
 * @param alarm whether it is older than is good
 */
public record OldestTransaction(Duration age, Kind kind, int pid, long slotTransactions, boolean alarm) {

    /** Nothing seen yet. */
    static final OldestTransaction NONE = new OldestTransaction(Duration.ZERO, Kind.NONE, 0, 0, false);

    /** Who has it. */
    public enum Kind {
        /** No transaction is open. */
        NONE,
        /** A session. */
        SESSION,
        /** Nobody: it was prepared and waits to be ended by whoever coordinates it. */
        PREPARED,
        /** Somebody whose sessions we may not look at; known from what it holds back. */
        UNSEEN
    }
}
