package dev.ringfence.delivery;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One event for one subscription, as the API shows it.
 *
 * @param id its ordinal in decimal digits
 * @param tenant the clear name; null once redaction erased it
 * @param state as {@link DeliveryState#text()}
 * @param nextAttemptAt when it is due; null where it is finished or held
 * @param held true while it waits for those before it in the order of its key (OB-5), or absent
 * @param acceptedAt the first acknowledgement (DL-3)
 * @param discarded true or absent
 * @param test true for a test send (SB-7), or absent
 * @param outOfOrder true where it was sent again after later ones of its key had left, or absent
 * @param orderingKey whose order it keeps; null where it keeps none
 * @param url frozen at fan-out, or at the operator's last retry
 * @param bodySha256 hex digest of the bytes that are sent
 */
public record Delivery(
        String id,
        String eventId,
        String messageId,
        UUID subscriptionId,
        @Nullable String tenant,
        String state,
        int cycle,
        List<Attempt> attempts,
        @Nullable Instant nextAttemptAt,
        @Nullable Boolean held,
        @Nullable Instant acceptedAt,
        @Nullable String lastCode,
        @Nullable Boolean discarded,
        @Nullable Boolean test,
        @Nullable String orderingKey,
        @Nullable Long orderingSequence,
        @Nullable Boolean outOfOrder,
        @Nullable String url,
        @Nullable String bodySha256,
        Instant createdAt,
        Instant updatedAt) {

    public Delivery {
        attempts = List.copyOf(attempts);
    }

    Delivery with(List<Attempt> ledger) {
        return new Delivery(
                id,
                eventId,
                messageId,
                subscriptionId,
                tenant,
                state,
                cycle,
                ledger,
                nextAttemptAt,
                held,
                acceptedAt,
                lastCode,
                discarded,
                test,
                orderingKey,
                orderingSequence,
                outOfOrder,
                url,
                bodySha256,
                createdAt,
                updatedAt);
    }

    /** The place in the order of recording. */
    @JsonIgnore
    public long ordinal() {
        return Long.parseLong(id);
    }
}
