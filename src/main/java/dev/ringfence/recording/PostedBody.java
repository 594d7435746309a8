package dev.ringfence.recording;

import dev.ringfence.security.Caller;
import org.jspecify.annotations.Nullable;

/**
 * A POST as it came, for recognising a repetition (RC-12).
 *
 * @param key the header {@code Idempotency-Key}, if there was one
 */
record PostedBody(@Nullable String key, String path, Caller caller, byte[] bytes) {}
