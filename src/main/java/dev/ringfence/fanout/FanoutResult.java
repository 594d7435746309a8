package dev.ringfence.fanout;

/**
 * What one run did.
 *
 * @param claimed events leased, those taken over from expired leases included
 * @param published events marked published
 * @param deliveries deliveries that wait to be sent now
 * @param more true where the batch was full, so that another run would find work
 */
public record FanoutResult(int claimed, int published, int deliveries, boolean more) {

    static final FanoutResult NOTHING = new FanoutResult(0, 0, 0, false);
}
