package dev.ringfence.redaction;

import dev.ringfence.security.Caller;
import org.jspecify.annotations.Nullable;

/**
 * A request to redact a tenant.
 *
 * @param reason the operator's own words
 * @param remoteErasure null: where the application has configured it
 * @param body the request's bytes, for the idempotency key
 */
@SuppressWarnings("ArrayRecordComponent") // bytes that nobody compares
record RedactionOrder(
        Caller caller,
        String reason,
        @Nullable Boolean remoteErasure,
        @Nullable String idempotencyKey,
        byte[] body) {}
