package dev.ringfence.redaction;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A redaction as the interface shows it. It never names the tenant.
 *
 * @param remoteFinality {@code ESTABLISHED} once the redaction is done and no attempt of it is left whose remote end is unknown
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record RedactionView(
        UUID id,
        RedactionStatus status,
        List<Stage> stages,
        long unresolved,
        String remoteFinality,
        Instant requestedAt,
        @Nullable Instant boundary,
        @Nullable Instant finishedAt) {

    static RedactionView of(Redaction redaction) {
        boolean established = redaction.status() == RedactionStatus.DONE && redaction.unresolved() == 0;
        return new RedactionView(
                redaction.id(),
                redaction.status(),
                redaction.stages(),
                redaction.unresolved(),
                established ? "ESTABLISHED" : "NOT_ESTABLISHED",
                redaction.requestedAt(),
                redaction.boundary(),
                redaction.finishedAt());
    }
}
