package dev.ringfence.recording;

import dev.ringfence.lifecycle.TenantVerdict;
import dev.ringfence.outbox.Origin;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a request gives to every event that it records (EV-3, EV-4, SG-5).
 *
 * @param requestId the cause of an event that names none
 */
public record RequestOrigin(
        String correlationId, String requestId, @Nullable String traceparent) {
    /** The origin of events that are recorded now for an admitted tenant. */
    Origin of(TenantVerdict.Current tenant, Instant recordedAt) {
        return new Origin(
                tenant.row().appId(),
                tenant.row().tenantId(),
                tenant.row().epoch(),
                tenant.start().at(),
                recordedAt,
                traceparent);
    }
}
