package dev.ringfence.receipt;

import dev.ringfence.delivery.DeliveryState;
import dev.ringfence.transport.OutcomeCode;

/**
 * The end of a delivery without another request.
 *
 * @param cycle the cycle that was judged: an operator's retry since then is left alone
 * @param state {@code dead} or {@code failed}
 */
public record Conclusion(long deliveryId, int cycle, DeliveryState state, OutcomeCode code) {}
