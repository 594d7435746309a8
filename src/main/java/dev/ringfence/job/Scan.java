package dev.ringfence.job;

import java.util.List;

/**
 * What a scan found.
 *
 * @param next where the next one begins
 * @param wrapped true where it reached the end of the ring
 */
record Scan(List<Candidate> candidates, ScanPlace next, boolean wrapped) {}
