package dev.ringfence.operator;

import java.util.UUID;

/**
 * A test send that was queued: {@code GET …/deliveries/{deliveryId}} tells what came of it.
 *
 * @param deliveryId the delivery's ordinal in decimal digits
 */
record TestSend(String deliveryId, String eventId, UUID subscriptionId) {}
