package dev.ringfence.management;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** A bean that the platform's MBean server shows as long as the application is deployed; which of its methods, its MXBean interface says. */
public abstract class ShownWhileDeployed {
    private static final Logger LOG = System.getLogger(ShownWhileDeployed.class.getName());

    private final String type;

    /** A bean that is shown as {@code dev.ringfence:type=…}. */
    protected ShownWhileDeployed(String type) {
        this.type = type;
    }

    /** Called once at start; a proxy's first call makes the bean and so registers it. */
    public void show() {
        LOG.log(Level.DEBUG, "{0} is seen over JMX", type);
    }

    @PostConstruct
    void register() {
        ManagementBeans.show(type, this);
    }

    @PreDestroy
    void unregister() {
        ManagementBeans.hide(type);
    }
}
