package dev.ringfence.job;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What a scan saw of one pair. */
final class ScanVisit {
    private final ScanPlace pair;
    private final int most;
    private final boolean plain;
    private int found;
    private boolean cut;
    private @Nullable ScanHead head;

    /**
     * @param most rows that it would have taken
     * @param plain whether all that is due there is of interest, in order: the subscription is neither held nor has it a rate
     */
    ScanVisit(ScanPlace pair, int most, boolean plain) {
        this.pair = pair;
        this.most = most;
        this.plain = plain;
    }

    ScanPlace pair() {
        return pair;
    }

    /** One of its rows; due is null for one that was found by its age. */
    void found(long id, @Nullable Instant due) {
        found++;
        if (due != null) {
            head = new ScanHead(pair, due, id);
        }
    }

    /** The scan ended within this pair. */
    void cut() {
        cut = true;
    }

    /**
     * Where to go on, null where nothing is left or a look has to begin at its beginning each time.
     *
     * @param before how far it had been read
     */
    @Nullable
    ScanHead rest(ScanHead before) {
        boolean more = found >= most || cut;
        if (!plain || !more) {
            return null;
        }
        return head == null ? before : head;
    }
}
