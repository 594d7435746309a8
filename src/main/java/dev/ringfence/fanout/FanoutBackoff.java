package dev.ringfence.fanout;

import java.time.Duration;
import java.time.Instant;

/** When a failed event is tried again, and when no more: doubling waits, bounded, up to a ceiling of attempts. */
final class FanoutBackoff {

    /** Claims after which a failing event is dead-lettered. */
    static final int MAX_ATTEMPTS = 10;

    /** How soon a tenant whose fence was taken is looked at again. */
    static final Duration FENCE_WAIT = Duration.ofMillis(200);

    private static final Duration FIRST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofMinutes(5);
    private static final int MAX_DOUBLINGS = 20;

    private FanoutBackoff() {}

    /** What a failed publish transaction makes of its only event. */
    static OutboxMove afterFailure(ClaimedEvent event, Instant now) {
        if (event.attempt() >= MAX_ATTEMPTS) {
            return OutboxMove.dead(event, FanoutCode.FANOUT_FAILED);
        }
        return OutboxMove.retry(event, now.plus(waitAfter(event.attempt())));
    }

    private static Duration waitAfter(int attempt) {
        Duration wait = FIRST.multipliedBy(1L << Math.min(attempt - 1, MAX_DOUBLINGS));
        return wait.compareTo(LONGEST) > 0 ? LONGEST : wait;
    }
}
