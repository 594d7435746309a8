package dev.ringfence.subscription;

/**
 * The rules of a subscription's deliveries.
 *
 * @param semantics what an unknown outcome means
 * @param retry attempts and waits of one cycle
 * @param inFlight most requests at once per node, so that a hanging endpoint fills its own share only
 * @param deadThreshold consecutive dead deliveries that disable the subscription (SB-6)
 */
public record DeliveryRules(Semantics semantics, RetryPolicy retry, int inFlight, int deadThreshold) {}
