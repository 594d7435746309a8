package dev.ringfence.tracking;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * What became of a save's milestone.
 *
 * @param eventId its id, where it is recorded
 * @param reason a code, where it is not
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Tracking(
        boolean recorded,
        @Nullable String eventId,
        @Nullable String reason) {

    static Tracking of(String eventId) {
        return new Tracking(true, eventId, null);
    }

    static Tracking not(String reason) {
        return new Tracking(false, null, reason);
    }
}
