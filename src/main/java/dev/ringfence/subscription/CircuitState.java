package dev.ringfence.subscription;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A subscription's circuit as it is for all nodes (SB-7).
 *
 * @param consecutiveFailures uncertain or unsent attempts since the last answer
 * @param until when a probe may go out, or when one that is under way is given up; null where the circuit is closed
 */
public record CircuitState(
        Position state, int consecutiveFailures, @Nullable Instant until) {

    /** Stored by name. */
    public enum Position {
        /** Deliveries are attempted. */
        CLOSED,
        /** Nothing is attempted. */
        OPEN,
        /** One attempt, the probe, is under way. */
        HALF_OPEN
    }

    /** Of a subscription that nothing was sent for yet. */
    public static final CircuitState CLOSED = new CircuitState(Position.CLOSED, 0, null);

    boolean closed() {
        return state == Position.CLOSED;
    }
}
