package dev.ringfence.feed;

import java.time.Duration;

/**
 * What the database tells of its open transactions at one moment.
 *
 * @param oldest full id of the oldest transaction that is running, or the next one where none is
 * @param next below it every transaction has ended, but for those that run
 * @param session since when the oldest transaction of a session that we may look at is open; zero for none
 * @param pid of that session; 0 for none
 * @param prepared since when the oldest prepared transaction waits for its end; zero for none
 * @param slotTransactions how many transactions the farthest replication slot lies back
 */
record TransactionSample(long oldest, long next, Duration session, int pid, Duration prepared, long slotTransactions) {}
