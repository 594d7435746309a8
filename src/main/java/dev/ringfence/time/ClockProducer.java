package dev.ringfence.time;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import java.time.Clock;
import java.time.Duration;

/** The wall clock of the application: UTC, cut to whole microseconds, which is what PostgreSQL keeps. */
@ApplicationScoped
public class ClockProducer {

    private static final Duration MICROSECOND = Duration.ofNanos(1_000);

    /** A clock whose instants compare equal after a trip through a {@code timestamptz} column. */
    @Produces
    public Clock clock() {
        return utcMicros();
    }

    /** The same clock for code that runs without CDI. */
    public static Clock utcMicros() {
        return Clock.tick(Clock.systemUTC(), MICROSECOND);
    }
}
