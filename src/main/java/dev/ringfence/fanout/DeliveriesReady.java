package dev.ringfence.fanout;

/**
 * CDI event: deliveries were committed and are due. A hint for whoever sends them; the rows are the truth.
 *
 * @param count how many
 */
public record DeliveriesReady(int count) {}
