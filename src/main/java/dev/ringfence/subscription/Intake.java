package dev.ringfence.subscription;

import java.util.ArrayList;
import java.util.List;

/**
 * Which events a subscription takes, told by their ordinals and no clock (SB-3): those after its creation, but for those recorded while it
 * was paused or disabled. An event recorded before a pause is taken however late it is fanned out.
 *
 * @param after events up to this ordinal were there before the subscription
 * @param closings ordinals at which it was closed and opened, by turns; of an odd number the last closing is still in force
 */
public record Intake(long after, List<Long> closings) {

    /** Pauses that are remembered: what is older has been fanned out long ago. */
    static final int MOST_PAUSES = 32;

    public Intake {
        closings = List.copyOf(closings);
    }

    /** Takes whatever comes after that ordinal. */
    public static Intake from(long ordinal) {
        return new Intake(ordinal, List.of());
    }

    /** True where an event of that ordinal may become a delivery. */
    public boolean takes(long ordinal) {
        if (ordinal <= after) {
            return false;
        }
        long passed = closings.stream().filter(closing -> closing <= ordinal).count();
        return passed % 2 == 0;
    }

    /** The same, taking nothing from that ordinal on. */
    Intake closedAt(long ordinal) {
        return isClosed() ? this : with(ordinal);
    }

    /** The same, taking what comes from that ordinal on. */
    Intake openedAt(long ordinal) {
        return isClosed() ? with(ordinal) : this;
    }

    private boolean isClosed() {
        return closings.size() % 2 == 1;
    }

    private Intake with(long ordinal) {
        List<Long> more = new ArrayList<>(closings);
        more.add(ordinal);
        return new Intake(after, more.size() > 2 * MOST_PAUSES ? more.subList(2, more.size()) : more);
    }
}
