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
 * @param nextAttemptAt when it is due; null where it is finished
 * @param acceptedAt the first acknowledgement (DL-3)
 * @param discarded true or absent
 * @param test true for a test send (SB-7), or absent
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
        @Nullable Instant acceptedAt,
        @Nullable String lastCode,
        @Nullable Boolean discarded,
        @Nullable Boolean test,
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
                acceptedAt,
                lastCode,
                discarded,
                test,
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
