package dev.ringfence.time;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/** The wall clock of the application: UTC, cut to whole microseconds, which is what PostgreSQL keeps. */
@ApplicationScoped
public class ClockProducer {

    private static final Duration MICROSECOND = Duration.ofNanos(1_000);

    /** One for all: it never goes back a little, so what one thread wrote as due is due to the next. */
    private @Nullable Clock databaseClock;

    /** A clock whose instants compare equal after a trip through a {@code timestamptz} column. */
    @Produces
    public Clock clock() {
        return utcMicros();
    }

    /** The database's time, as far as it is measured (LC-6). */
    @Produces
    @DatabaseTime
    public synchronized Clock databaseClock(SkewMonitor monitor) {
        Clock known = databaseClock;
        if (known == null) {
            known = new DatabaseClock(utcMicros(), monitor::offset).withZone(ZoneOffset.UTC);
            databaseClock = known;
        }
        return known;
    }

    /** The same clock for code that runs without CDI. */
    public static Clock utcMicros() {
        return Clock.tick(Clock.systemUTC(), MICROSECOND);
    }
}
