package dev.ringfence.lifecycle;

import dev.ringfence.security.Caller;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A request to enrol a tenant (LC-4).
 *
 * @param receivedAt when it came in, before authentication (LC-3)
 * @param start what the caller says about its start (LC-5)
 * @param authenticatedAt when the session of the person behind it was created
 * @param idempotencyKey the header of that name (RC-12)
 * @param path path of the request, for the idempotency key
 * @param body its bytes, for the idempotency key
 */
record EnrolmentRequest(
        TenantRef tenant,
        Caller caller,
        Instant receivedAt,
        CallerStart start,
        Instant authenticatedAt,
        @Nullable String idempotencyKey,
        String path,
        byte[] body) {}
