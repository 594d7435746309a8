package dev.ringfence.recording;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came of an operation, kept for replays (RC-6).
 *
 * @param version the aggregate's version afterwards; null where it does not exist
 * @param reason why it was not accepted, else null
 */
record Receipt(
        Outcome outcome,
        @Nullable Long version,
        List<String> eventIds,
        @Nullable String reason) {
    /** How an operation can end. */
    enum Outcome {
        /** State and events are committed. */
        ACCEPTED,
        /** The aggregate's policy said no. */
        REJECTED,
        /** Another version than the expected one stands. */
        CONFLICTED
    }

    static Receipt accepted(long version, List<String> eventIds) {
        return new Receipt(Outcome.ACCEPTED, version, eventIds, null);
    }

    static Receipt rejected(@Nullable Long version, String reason) {
        return new Receipt(Outcome.REJECTED, version, List.of(), reason);
    }

    static Receipt conflicted(@Nullable Long version, String reason) {
        return new Receipt(Outcome.CONFLICTED, version, List.of(), reason);
    }
}
