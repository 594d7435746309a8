package dev.ringfence.recording;

/**
 * CDI event: a transaction records events. Fired inside it, so observe {@code during = AFTER_SUCCESS}; it is a hint to look
 * at the outbox, the rows are the truth.
 *
 * @param count how many new rows, at least 1
 */
public record Recorded(long tenantId, int count) {}
