package dev.ringfence.time;

import jakarta.enterprise.context.ApplicationScoped;

/**
 * The monotonic clock: for deadlines and durations, never for dates. Its values mean something only relative to each other and
 * only inside this process.
 */
@ApplicationScoped
public class NanoClock {

    /** Nanoseconds since some fixed moment; may be negative, so compare differences ({@code a - b < 0}). */
    public long nanos() {
        return System.nanoTime();
    }
}
