package dev.ringfence.ordering;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** Shows the order of deliveries in the platform's MBean server as long as the application is deployed. */
@ApplicationScoped
public class OrderManagement implements OrderMXBean {
    private static final Logger LOG = System.getLogger(OrderManagement.class.getName());
    private static final String NAME = "dev.ringfence:type=Ordering";
    private static final int MOST = 100_000;

    private final ReleaseRepository rows;

    @Inject
    public OrderManagement(ReleaseRepository rows) {
        this.rows = rows;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    OrderManagement() {
        this(null);
    }

    /** Called once at start; a proxy's first call makes the bean and so registers it. */
    public void show() {
        LOG.log(Level.DEBUG, "the order is seen as {0}", NAME);
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
            LOG.log(Level.WARNING, "the order cannot be seen over JMX: {0}", e.toString());
        }
    }

    @PreDestroy
    void unregister() {
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(new ObjectName(NAME));
        } catch (JMException e) {
            LOG.log(Level.DEBUG, "the order was not registered over JMX: {0}", e.toString());
        }
    }

    @Override
    public long getHeldDeliveries() {
        return rows.held(MOST);
    }

    @Override
    public long getBlockedKeys() {
        return rows.blocked(MOST);
    }
}
