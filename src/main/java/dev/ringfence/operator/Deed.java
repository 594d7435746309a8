package dev.ringfence.operator;

import dev.ringfence.security.Caller;
import org.jspecify.annotations.Nullable;

/**
 * The request behind an operator's act: who, and what makes it repeatable (RC-12).
 *
 * @param key the header {@code Idempotency-Key}, null where it is absent
 * @param path as sent
 * @param body the bytes as received
 */
@SuppressWarnings("ArrayRecordComponent") // bytes that nobody compares
record Deed(@Nullable String key, String path, Caller caller, byte[] body) {}
