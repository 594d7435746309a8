package dev.ringfence.time;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Instants no finer than the database keeps them. */
public final class Instants {

    private Instants() {}

    /** Cuts to microseconds. The database would round, and a rounded value can lie in the next day. */
    public static Instant micros(Instant instant) {
        return instant.truncatedTo(ChronoUnit.MICROS);
    }
}
