package dev.ringfence.time;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How far this machine's clock may be from the database's (LC-6).
 *
 * @param status whether the bound may be relied on
 * @param bound no instant of this machine was further from the database's clock than this, over the recent measurements; zero
 *     while nothing was measured
 * @param offset database clock minus this machine's, by the best recent measurement
 * @param databaseTime the database's clock at the latest measurement; {@code null} while nothing was measured
 */
public record Skew(
        Status status,
        Duration bound,
        Duration offset,
        @Nullable Instant databaseTime) {

    /** Whether the bound may be relied on; only {@link #MEASURED} lets enrolment and recording pass. */
    public enum Status {
        MEASURED,
        UNMEASURED,
        /** The latest measurement is too old to say anything about now. */
        STALE,
        /** The bound is past {@code ringfence.clock.max-skew-ms}. */
        EXCEEDED
    }

    static final Skew NONE = new Skew(Status.UNMEASURED, Duration.ZERO, Duration.ZERO, null);

    /** The bound, where it may be relied on. */
    public Optional<Duration> usableBound() {
        return status == Status.MEASURED ? Optional.of(bound) : Optional.empty();
    }
}
