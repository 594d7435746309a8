package dev.ringfence.redaction;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One stage as the status shows it.
 *
 * @param attempts how often it was begun
 * @param code why the last attempt did not end it; null where nothing went wrong
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Stage(
        StageName name,
        StageStatus status,
        int attempts,
        @Nullable String code,
        Instant updatedAt) {}
