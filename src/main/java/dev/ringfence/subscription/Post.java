package dev.ringfence.subscription;

import dev.ringfence.security.Caller;
import org.jspecify.annotations.Nullable;

/**
 * What makes a POST repeatable (RC-12).
 *
 * @param key the header {@code Idempotency-Key}, null where it is absent
 * @param path as sent
 * @param body the bytes as received
 */
@SuppressWarnings("ArrayRecordComponent") // bytes that nobody compares
record Post(@Nullable String key, String path, Caller caller, byte[] body) {}
