package dev.ringfence.job;

import dev.ringfence.delivery.DeliveryCounters;
import dev.ringfence.management.ShownWhileDeployed;
import dev.ringfence.subscription.CircuitCounters;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Map;
import java.util.TreeMap;

/** Shows this node's delivery in the platform's MBean server as long as the application is deployed. */
@ApplicationScoped
public class DeliveryManagement extends ShownWhileDeployed implements DeliveryMXBean {
    private final DeliverySwitch delivery;
    private final Slots slots;
    private final DeliveryCounters counters;
    private final CircuitCounters circuits;

    @Inject
    public DeliveryManagement(
            DeliverySwitch delivery, Slots slots, DeliveryCounters counters, CircuitCounters circuits) {
        super("Delivery");
        this.delivery = delivery;
        this.slots = slots;
        this.counters = counters;
        this.circuits = circuits;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    DeliveryManagement() {
        this(null, null, null, null);
    }

    @Override
    public boolean isOn() {
        return delivery.on();
    }

    @Override
    public int getInHand() {
        return slots.held();
    }

    @Override
    public Map<String, Long> getCounters() {
        Map<String, Long> all = new TreeMap<>(counters.snapshot());
        all.putAll(circuits.snapshot());
        return all;
    }

    @Override
    public void pause() {
        delivery.pause();
    }

    @Override
    public void resume() {
        delivery.resume();
    }
}
