package dev.ringfence.subscription;

import dev.ringfence.subscription.CircuitState.Position;
import jakarta.enterprise.context.ApplicationScoped;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;

/** Counts and logs how circuits moved on this node since its start (OB-6). */
@ApplicationScoped
public class CircuitCounters {
    private static final Logger LOG = System.getLogger(CircuitCounters.class.getName());

    private final LongAdder opened = new LongAdder();
    private final LongAdder closed = new LongAdder();

    void moved(UUID subscription, Position from, Position to) {
        if (to == Position.HALF_OPEN || from == to) {
            return;
        }
        (to == Position.OPEN ? opened : closed).increment();
        LOG.log(Level.INFO, "transition=circuit.{0}>{1} subscription={2}", from, to, subscription);
    }

    /** The counters by name. */
    public Map<String, Long> snapshot() {
        return Map.of("circuit.OPENED", opened.sum(), "circuit.CLOSED", closed.sum());
    }
}
