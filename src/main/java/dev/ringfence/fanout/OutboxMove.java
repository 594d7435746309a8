package dev.ringfence.fanout;

import dev.ringfence.outbox.OutboxStatus;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Where a claimed event goes next.
 *
 * @param availableAt when it is due again; null leaves it as it is
 * @param code why it was not published; null where it was
 * @param attempts the attempt count to keep
 */
record OutboxMove(
        ClaimedEvent event,
        OutboxStatus status,
        @Nullable Instant availableAt,
        @Nullable FanoutCode code,
        int attempts) {

    static OutboxMove published(ClaimedEvent event) {
        return new OutboxMove(event, OutboxStatus.PUBLISHED, null, null, event.attempt());
    }

    static OutboxMove discarded(ClaimedEvent event, FanoutCode code) {
        return new OutboxMove(event, OutboxStatus.DISCARDED, null, code, event.attempt());
    }

    static OutboxMove dead(ClaimedEvent event, FanoutCode code) {
        return new OutboxMove(event, OutboxStatus.DEAD_LETTERED, null, code, event.attempt());
    }

    /** Back into the queue; the try that a taken fence cost is not counted. */
    static OutboxMove fenceTaken(ClaimedEvent event, Instant dueAgain) {
        return new OutboxMove(
                event, OutboxStatus.FAILED_RETRYABLE, dueAgain, FanoutCode.FENCE_TAKEN, event.attempt() - 1);
    }

    static OutboxMove retry(ClaimedEvent event, Instant dueAgain) {
        return new OutboxMove(
                event, OutboxStatus.FAILED_RETRYABLE, dueAgain, FanoutCode.FANOUT_FAILED, event.attempt());
    }

    /** Whether the event is done with; one that goes back into the queue is still to come. */
    boolean ends() {
        return status != OutboxStatus.FAILED_RETRYABLE;
    }
}
