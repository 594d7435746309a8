package dev.ringfence.job;

import dev.ringfence.delivery.DeliveryCounters;
import dev.ringfence.subscription.CircuitCounters;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** Shows this node's delivery in the platform's MBean server as long as the application is deployed. */
@ApplicationScoped
public class DeliveryManagement implements DeliveryMXBean {
    private static final Logger LOG = System.getLogger(DeliveryManagement.class.getName());
    private static final String NAME = "dev.ringfence:type=Delivery";

    private final DeliverySwitch delivery;
    private final Slots slots;
    private final DeliveryCounters counters;
    private final CircuitCounters circuits;

    @Inject
    public DeliveryManagement(
            DeliverySwitch delivery, Slots slots, DeliveryCounters counters, CircuitCounters circuits) {
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

    /** Called once at start; a proxy's first call makes the bean and so registers it. */
    public void show() {
        LOG.log(Level.DEBUG, "delivery is managed as {0}", NAME);
    }

    @PostConstruct
    void register() {
        try {
            MBeanServer server = ManagementFactory.getPlatformMBeanServer();
            ObjectName name = new ObjectName(NAME);
            if (server.isRegistered(name)) {
                server.unregisterMBean(name);
            }
            server.registerMBean(this, name);
        } catch (JMException e) {
            LOG.log(Level.WARNING, "delivery cannot be managed over JMX: {0}", e.toString());
        }
    }

    @PreDestroy
    void unregister() {
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(new ObjectName(NAME));
        } catch (JMException e) {
            LOG.log(Level.DEBUG, "delivery was not registered over JMX: {0}", e.toString());
        }
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
