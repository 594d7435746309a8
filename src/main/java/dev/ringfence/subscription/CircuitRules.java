package dev.ringfence.subscription;

/**
 * When a subscription's circuit opens, and for how long (SB-7).
 *
 * @param failures so many uncertain or unsent attempts in a row open it; 0: nothing does
 * @param pauseSeconds until the first probe; doubled with each one that fails
 * @param maxPauseSeconds the longest pause between probes
 */
public record CircuitRules(int failures, int pauseSeconds, int maxPauseSeconds) {

    /** Where a subscription says nothing. */
    public static final CircuitRules DEFAULT = new CircuitRules(20, 30, 300);
}
