package dev.ringfence.time;

import java.time.Duration;
import java.time.Instant;

/**
 * One reading of the database's clock, bracketed by two readings of ours.
 *
 * @param before this machine's wall clock just before the question went out
 * @param sentNanos the monotonic clock at that moment
 * @param receivedNanos the monotonic clock when the answer was there
 * @param database what the database's clock said in between
 */
record ClockSample(Instant before, long sentNanos, long receivedNanos, Instant database) {

    /** Both clocks tell whole microseconds, cut. */
    private static final Duration RESOLUTION = Duration.ofNanos(2_000);

    Duration roundTrip() {
        return Duration.ofNanos(receivedNanos - sentNanos);
    }

    /** Database clock minus ours, if the question took as long as the answer. */
    Duration offset() {
        return Duration.between(before.plus(roundTrip().dividedBy(2)), database);
    }

    /** The offset is true but for half the round trip: this is what it can be at most. */
    Duration bound() {
        return offset().abs().plus(roundTrip().dividedBy(2)).plus(RESOLUTION);
    }
}
