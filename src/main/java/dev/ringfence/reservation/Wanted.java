package dev.ringfence.reservation;

import java.time.Duration;

/**
 * One delivery that a worker wants to attempt.
 *
 * @param deliveryId its ordinal
 * @param maxAttempts most attempts of a cycle, from the subscription's policy
 * @param nextWait the wait that follows this attempt if nothing else is learned of it
 * @param timeout the deadline of its HTTP exchange
 */
public record Wanted(long deliveryId, int maxAttempts, Duration nextWait, Duration timeout) {}
