package dev.ringfence.recording;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.ringfence.api.Cursor;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a receiver acknowledged of an event: one attempt.
 *
 * @param receipt the acknowledgement's fields, for subscriptions of profile {@code RECEIPT}
 * @param late whether it arrived after the attempt had been given up
 */
record NaturalReceipt(
        String deliveryId,
        UUID subscriptionId,
        UUID reservationId,
        int number,
        int cycle,
        Instant startedAt,
        @Nullable Instant finishedAt,
        @Nullable Integer httpStatus,
        @JsonRawValue @Nullable String receipt,
        boolean late) {
    @JsonIgnore
    Cursor cursor() {
        return Cursor.of(deliveryId, number);
    }
}
