package dev.ringfence.subscription;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a subscription's deliveries.
 *
 * @param semantics what an unknown outcome means
 * @param retry attempts and waits of one cycle
 * @param retryStatuses refusals that are tried again all the same (SB-7)
 * @param inFlight most requests at once, on all nodes together but at least one a node, so that a hanging endpoint fills its own share only
 * @param perSecond most requests a second, on all nodes together (SB-7); null where there is no limit
 * @param circuit when nothing is attempted for a while (SB-7)
 * @param order whether deliveries wait for those before them (OB-5)
 * @param deadThreshold consecutive dead deliveries that disable the subscription (SB-6)
 */
public record DeliveryRules(
        Semantics semantics,
        RetryPolicy retry,
        List<Integer> retryStatuses,
        int inFlight,
        @Nullable Double perSecond,
        CircuitRules circuit,
        OrderRules order,
        int deadThreshold) {

    public DeliveryRules {
        retryStatuses = List.copyOf(retryStatuses);
    }
}
