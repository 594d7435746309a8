package dev.ringfence.job;

import java.time.Instant;

/**
 * How far what is due of a pair has been read.
 *
 * @param dueAt when its last row that was read is due
 * @param id of that row; rows that are due at the same moment are read in the order of their ids
 */
record ScanHead(ScanPlace pair, Instant dueAt, long id) {
    /** Before the first. */
    static ScanHead before(ScanPlace pair) {
        return new ScanHead(pair, Instant.EPOCH, 0);
    }
}
