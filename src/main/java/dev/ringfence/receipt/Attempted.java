package dev.ringfence.receipt;

import dev.ringfence.reservation.Reserved;
import dev.ringfence.subscription.RetryPolicy;
import dev.ringfence.subscription.Semantics;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An attempt and the rules that its outcome is judged by.
 *
 * @param retryStatuses refusals that are tried again all the same (SB-7)
 * @param maxAttempts most attempts of a cycle: the subscription's, at most the ceiling in force
 * @param maxAge the age of a cycle at which it expires
 */
public record Attempted(
        Reserved reserved,
        RetryPolicy retry,
        List<Integer> retryStatuses,
        Semantics semantics,
        int maxAttempts,
        Duration maxAge) {

    public Attempted {
        retryStatuses = List.copyOf(retryStatuses);
    }

    /** Whether a refusal with that status is tried again: never where nothing may be sent twice. */
    boolean triesAgain(@Nullable Integer status) {
        return status != null && semantics == Semantics.AT_LEAST_ONCE && retryStatuses.contains(status);
    }

    boolean last() {
        return reserved.cycleAttempt() >= maxAttempts;
    }

    Instant expiry() {
        return reserved.cycleStartedAt().plus(maxAge);
    }
}
