package dev.ringfence.redaction;

import dev.ringfence.security.Caller;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A request to reconcile markers.
 *
 * @param markers reservation ids, each once
 * @param path of the request; it names no tenant
 * @param body the request's bytes, for the idempotency key
 */
@SuppressWarnings("ArrayRecordComponent") // bytes that nobody compares
record ReconcileOrder(
        Caller caller,
        List<UUID> markers,
        Finding finding,
        String reason,
        @Nullable String idempotencyKey,
        String path,
        byte[] body) {

    ReconcileOrder {
        markers = List.copyOf(markers);
    }
}
