package dev.ringfence.recording;

import dev.ringfence.idempotency.Outcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A receipt as clients see it.
 *
 * @param version left out where the aggregate does not exist
 * @param replayed whether the operation ran earlier and this is what was kept
 */
record ReceiptAnswer(
        Receipt.Outcome outcome,
        @Nullable Long version,
        List<String> eventIds,
        boolean replayed,
        @Nullable String reason) {
    static ReceiptAnswer first(Receipt receipt) {
        return of(receipt, false);
    }

    static ReceiptAnswer replayed(Receipt receipt) {
        return of(receipt, true);
    }

    private static ReceiptAnswer of(Receipt receipt, boolean replayed) {
        return new ReceiptAnswer(receipt.outcome(), receipt.version(), receipt.eventIds(), replayed, receipt.reason());
    }

    /** A conflict is 409, everything else that was decided is 200. */
    Outcome toOutcome() {
        return Outcome.of(outcome == Receipt.Outcome.CONFLICTED ? 409 : 200, this);
    }
}
