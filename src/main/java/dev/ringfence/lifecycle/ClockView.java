package dev.ringfence.lifecycle;

import dev.ringfence.time.Skew;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The answer of {@code GET /clock}.
 *
 * @param databaseTime at the latest measurement; {@code null} while nothing was measured
 * @param skewMs database clock minus this server's, to the microsecond
 * @param boundMs no instant of this server was further from the database's clock, to the microsecond, rounded up
 */
record ClockView(
        @Nullable Instant databaseTime,
        @Nullable BigDecimal skewMs,
        @Nullable BigDecimal boundMs,
        Skew.Status status) {

    static ClockView of(Skew skew) {
        boolean measured = skew.databaseTime() != null;
        return new ClockView(
                skew.databaseTime(),
                measured ? millis(skew.offset(), RoundingMode.HALF_EVEN) : null,
                measured ? millis(skew.bound(), RoundingMode.CEILING) : null,
                skew.status());
    }

    private static BigDecimal millis(Duration duration, RoundingMode rounding) {
        return BigDecimal.valueOf(duration.toNanos(), 6).setScale(3, rounding);
    }
}
