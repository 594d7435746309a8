package dev.ringfence.redaction;

import java.time.Duration;

/** How long a stage that failed rests: a second, doubled with each attempt, at most five minutes. */
final class Pauses {
    private static final Duration FIRST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofMinutes(5);
    private static final int DOUBLINGS = 9;

    private Pauses() {}

    /** @param attempts from 1 */
    static Duration after(int attempts) {
        Duration pause = FIRST.multipliedBy(1L << Math.min(DOUBLINGS, Math.max(0, attempts - 1)));
        return pause.compareTo(LONGEST) < 0 ? pause : LONGEST;
    }
}
