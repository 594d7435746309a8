package dev.ringfence.receipt;

import dev.ringfence.ordering.OrderedKey;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * What one statement settled.
 *
 * @param troubled the reservations that were still open, each with whether its subscription is in trouble, so that an answer ends something
 * @param freed the queues in which a delivery ended (OB-5)
 */
record Settled(Map<UUID, Boolean> troubled, Set<OrderedKey> freed) {
    Settled {
        troubled = Map.copyOf(troubled);
        freed = Set.copyOf(freed);
    }
}
