package dev.ringfence.recording;

import dev.ringfence.outbox.EventAt;
import java.util.List;

/**
 * CDI event: a transaction records events. Fired inside it, so observe {@code during = AFTER_SUCCESS}; it is a hint to look
 * at the outbox, the rows are the truth.
 *
 * @param events the new rows, at least one
 */
public record Recorded(long tenantId, List<EventAt> events) {

    public Recorded {
        events = List.copyOf(events);
    }
}
