package dev.ringfence.time;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * The database's time without asking it each time: a clock of this machine, moved by the last measured offset. Microseconds. A
 * measurement that moves it back by less than a second makes it stand instead, so that nothing written a moment ago lies in the future.
 */
final class DatabaseClock implements InstantSource {
    private static final Duration MOST_STANDING = Duration.ofSeconds(1);

    private final InstantSource machine;
    private final Supplier<Duration> offset;
    private final AtomicReference<Instant> last = new AtomicReference<>(Instant.MIN);

    /** @param offset database clock minus the machine's; zero while it is not known */
    DatabaseClock(InstantSource machine, Supplier<Duration> offset) {
        this.machine = machine;
        this.offset = offset;
    }

    @Override
    public Instant instant() {
        Instant now = Instants.micros(machine.instant().plus(offset.get()));
        return last.accumulateAndGet(now, DatabaseClock::later);
    }

    private static Instant later(Instant before, Instant now) {
        boolean stands = now.isBefore(before) && now.plus(MOST_STANDING).isAfter(before);
        return stands ? before : now;
    }
}
