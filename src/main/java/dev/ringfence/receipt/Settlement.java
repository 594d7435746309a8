package dev.ringfence.receipt;

import dev.ringfence.delivery.AttemptState;
import dev.ringfence.delivery.DeliveryState;
import dev.ringfence.reservation.Reserved;
import dev.ringfence.transport.OutcomeCode;
import dev.ringfence.transport.Receipt;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is written for one attempt and its delivery.
 *
 * @param attempt never {@code SENDING}, never {@code RELEASED}
 * @param code of the attempt; null where it was acknowledged
 * @param retryAfter the instant before which the receiver asked not to be asked again
 * @param delivery {@code delivered}, {@code retrying}, {@code dead} or {@code failed}
 * @param nextAttemptAt set for {@code retrying} only
 * @param lastCode of the delivery: why it ended, or else the attempt's code
 */
public record Settlement(
        Reserved reserved,
        AttemptState attempt,
        @Nullable OutcomeCode code,
        @Nullable Integer status,
        @Nullable Instant retryAfter,
        @Nullable Receipt receipt,
        DeliveryState delivery,
        @Nullable Instant nextAttemptAt,
        @Nullable OutcomeCode lastCode) {}
