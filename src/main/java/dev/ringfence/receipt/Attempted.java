package dev.ringfence.receipt;

import dev.ringfence.reservation.Reserved;
import dev.ringfence.subscription.RetryPolicy;
import dev.ringfence.subscription.Semantics;
import java.time.Duration;
import java.time.Instant;

/**
 * An attempt and the rules that its outcome is judged by.
 *
 * @param maxAttempts most attempts of a cycle: the subscription's, at most the ceiling in force
 * @param maxAge the age of a cycle at which it expires
 */
public record Attempted(Reserved reserved, RetryPolicy retry, Semantics semantics, int maxAttempts, Duration maxAge) {

    boolean last() {
        return reserved.cycleAttempt() >= maxAttempts;
    }

    Instant expiry() {
        return reserved.cycleStartedAt().plus(maxAge);
    }
}
