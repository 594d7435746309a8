package dev.ringfence.recording;

import org.jspecify.annotations.Nullable;

/**
 * What became of one submitted event.
 *
 * @param eventId its id, that of the first one for a repetition; null for an event that a dry run only checked
 * @param ordinal likewise
 * @param deduplicated whether it was recorded before
 */
record EventResult(@Nullable String eventId, @Nullable Long ordinal, boolean deduplicated) {}
