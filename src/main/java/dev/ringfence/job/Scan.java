package dev.ringfence.job;

import java.util.List;

/**
 * What a scan found.
 *
 * @param visits the pairs that it came to, in order
 * @param wrapped true where it reached the end of the ring, or of the pairs that it was given
 */
record Scan(List<Candidate> candidates, List<ScanVisit> visits, boolean wrapped) {

    /** The pair that it came to last, the given one where it came to none. */
    ScanPlace last(ScanPlace none) {
        return visits.isEmpty() ? none : visits.get(visits.size() - 1).pair();
    }
}
