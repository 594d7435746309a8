package dev.ringfence.management;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** The platform's MBean server. Whatever goes wrong with it is logged and stops nothing: delivery needs no administrator. */
public final class ManagementBeans {
    private static final Logger LOG = System.getLogger(ManagementBeans.class.getName());

    private ManagementBeans() {}

    /** Shows the bean as {@code dev.ringfence:type=…}, in the place of one that an earlier deployment left. */
    public static void show(String type, Object bean) {
        try {
            MBeanServer server = ManagementFactory.getPlatformMBeanServer();
            ObjectName name = name(type);
            if (server.isRegistered(name)) {
                server.unregisterMBean(name);
            }
            server.registerMBean(bean, name);
        } catch (JMException e) {
            LOG.log(Level.WARNING, "{0} cannot be seen over JMX: {1}", type, e.toString());
        }
    }

    /** Takes the bean away, so that the server does not keep the deployment. */
    public static void hide(String type) {
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(name(type));
        } catch (JMException e) {
            LOG.log(Level.DEBUG, "{0} was not registered over JMX: {1}", type, e.toString());
        }
    }

    private static ObjectName name(String type) throws JMException {
        return new ObjectName("dev.ringfence:type=" + type);
    }
}
