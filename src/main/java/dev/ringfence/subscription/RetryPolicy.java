package dev.ringfence.subscription;

import java.time.Duration;
import java.util.List;

/**
 * How often a delivery is tried and how long it waits in between (DL-2). Values come validated from {@link RetryRules}.
 *
 * @param waitsSeconds the wait after attempt 1, 2 …; as many as attempts − 1
 * @param jitter fraction 0 … 1 of a wait that chance may add to it, never take away
 * @param attempts most attempts of one cycle
 */
public record RetryPolicy(List<Integer> waitsSeconds, double jitter, int attempts) {

    public RetryPolicy {
        waitsSeconds = List.copyOf(waitsSeconds);
    }

    /**
     * The wait before the next attempt of the cycle.
     *
     * @param attempt number of the attempt in its cycle that has just ended, from 1; past the list the last wait counts
     * @param chance 0 … 1, from the caller's random source
     */
    public Duration waitAfter(int attempt, double chance) {
        if (waitsSeconds.isEmpty()) {
            return Duration.ZERO;
        }
        int seconds = waitsSeconds.get(Math.min(attempt, waitsSeconds.size()) - 1);
        return Duration.ofMillis(seconds * 1000L + Math.round(seconds * 1000L * jitter * chance));
    }
}
