package dev.ringfence.delivery;

import com.fasterxml.jackson.annotation.JsonRawValue;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One entry of a delivery's ledger as the API shows it: codes of a closed list, no texts of exceptions or receivers (AT-7).
 *
 * @param number over all cycles of the delivery
 * @param counted false only for an attempt that was released before it began (AT-3)
 * @param receipt what the receiver acknowledged, as JSON
 * @param lateState what an answer said that came after the attempt had been closed; history only (AT-8)
 */
public record Attempt(
        UUID reservationId,
        int number,
        int cycle,
        AttemptState state,
        boolean counted,
        Instant startedAt,
        @Nullable Instant finishedAt,
        @Nullable Integer httpStatus,
        @Nullable String code,
        @Nullable Instant retryAfter,
        @JsonRawValue @Nullable String receipt,
        @Nullable String lateState,
        @Nullable Integer lateStatus,
        @Nullable Instant lateAt) {}
