package dev.ringfence.feed;

import org.jspecify.annotations.Nullable;

/**
 * A delivery that a cursor is about to cover.
 *
 * @param eventName null for a test send
 */
record Covered(long delivery, @Nullable String eventName) {}
