package dev.ringfence.subscription;

import java.util.UUID;

/**
 * How deliveries of one subscription ended in a batch (SB-6).
 *
 * @param broken whether one was delivered, which ends the streak before
 * @param dead how many died since
 * @param gone whether a receiver said that it is gone for good (410)
 */
public record Streak(UUID subscriptionId, boolean broken, int dead, boolean gone) {

    /** Nothing has ended yet. */
    public static Streak none(UUID subscriptionId) {
        return new Streak(subscriptionId, false, 0, false);
    }

    /** As many dead ones. */
    public static Streak dead(UUID subscriptionId, int count) {
        return new Streak(subscriptionId, false, count, false);
    }

    /** And then one was delivered. */
    public Streak thenDelivered() {
        return new Streak(subscriptionId, true, 0, gone);
    }

    /** And then one died. */
    public Streak thenDead(boolean because410) {
        return new Streak(subscriptionId, broken, dead + 1, gone || because410);
    }
}
