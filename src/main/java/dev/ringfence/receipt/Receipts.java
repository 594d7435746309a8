package dev.ringfence.receipt;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** One transaction that stores what came of a batch of attempts (AT-2); it has committed when the method returns. */
@ApplicationScoped
public class Receipts {
    private final ReceiptRepository repository;

    @Inject
    public Receipts(ReceiptRepository repository) {
        this.repository = repository;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    Receipts() {
        this(null);
    }

    /**
     * Closes each attempt that is still open under its reservation and moves its delivery. An attempt that somebody else closed
     * meanwhile keeps that outcome; the answer is only noted beside it, and beside its marker where
     * a redaction left one (AT-8).
     *
     * @return the reservations that this call settled
     */
    @Transactional(Transactional.TxType.REQUIRES_NEW)
    public Set<UUID> settle(List<Settlement> settlements, Instant now) {
        if (settlements.isEmpty()) {
            return Set.of();
        }
        OffsetDateTime utc = now.atOffset(ZoneOffset.UTC);
        Set<UUID> settled = repository.settle(settlements, utc);
        if (settled.size() < settlements.size()) {
            List<Settlement> late = settlements.stream()
                    .filter(s -> !settled.contains(s.reserved().reservationId()))
                    .toList();
            repository.noteLate(late, utc);
            repository.noteOnMarkers(late, utc);
        }
        return settled;
    }
}
