package dev.ringfence.subscription;

import java.util.UUID;

/**
 * How a batch of attempts and deliveries of one subscription ended (SB-6, SB-7).
 *
 * @param broken whether one was delivered, which ends the streak of dead ones before
 * @param dead how many died since
 * @param gone whether a receiver said that it is gone for good (410)
 * @param answered whether the receiver gave one a definite answer, which ends the failures before
 * @param failing how many attempts were uncertain or not sent since
 * @param probeFailed whether one of these was the probe of an open circuit
 */
public record Streak(
        UUID subscriptionId,
        boolean broken,
        int dead,
        boolean gone,
        boolean answered,
        int failing,
        boolean probeFailed) {

    /** Nothing has ended yet. */
    public static Streak none(UUID subscriptionId) {
        return dead(subscriptionId, 0);
    }

    /** As many dead ones. */
    public static Streak dead(UUID subscriptionId, int count) {
        return new Streak(subscriptionId, false, count, false, false, 0, false);
    }

    /** And then one was delivered. */
    public Streak thenDelivered() {
        return new Streak(subscriptionId, true, 0, gone, answered, failing, probeFailed);
    }

    /** And then one died. */
    public Streak thenDead(boolean because410) {
        return new Streak(subscriptionId, broken, dead + 1, gone || because410, answered, failing, probeFailed);
    }

    /** And then one was answered, whatever the answer was. */
    public Streak thenAnswered() {
        return new Streak(subscriptionId, broken, dead, gone, true, 0, probeFailed);
    }

    /** And then an attempt was uncertain or not sent. */
    public Streak thenFailing(boolean probe) {
        return new Streak(subscriptionId, broken, dead, gone, answered, failing + 1, probeFailed || probe);
    }

    /** Whether it says anything that has to be written. */
    boolean tells() {
        return broken || dead > 0 || answered || failing > 0;
    }
}
