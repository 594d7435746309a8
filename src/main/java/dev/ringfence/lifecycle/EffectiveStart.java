package dev.ringfence.lifecycle;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The earliest moment, on the database's clock, at which something may have begun (LC-5).
 *
 * @param at microseconds
 */
public record EffectiveStart(Instant at) {

    /** Whether it began strictly later than the boundary; true where there is none. */
    public boolean isAfter(@Nullable Instant boundary) {
        return boundary == null || at.isAfter(boundary);
    }
}
