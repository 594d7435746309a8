package dev.ringfence.redaction;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An attempt whose remote end is unknown, kept past the erasure of everything else (AT-8).
 *
 * @param bodySha256 hex; null where the body was gone already
 * @param lateAnswer what an answer said that came afterwards: history, it resolves nothing
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Marker(
        UUID reservationId,
        String eventId,
        @Nullable String bodySha256,
        Instant startedAt,
        UUID epoch,
        @Nullable Finding finding,
        @Nullable Instant resolvedAt,
        @Nullable LateAnswer lateAnswer) {

    /** An answer that came when the attempt was closed already. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record LateAnswer(String state, @Nullable Integer httpStatus, Instant at) {}

    @JsonIgnore
    boolean resolved() {
        return resolvedAt != null;
    }
}
