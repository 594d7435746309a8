package dev.ringfence.feed;

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

/** Shows feeds in the platform's MBean server as long as the application is deployed. */
@ApplicationScoped
public class FeedManagement implements FeedMXBean {
    private static final Logger LOG = System.getLogger(FeedManagement.class.getName());
    private static final String NAME = "dev.ringfence:type=Feed";

    private final FeedPolls polls;
    private final TransactionWatch transactions;

    @Inject
    public FeedManagement(FeedPolls polls, TransactionWatch transactions) {
        this.polls = polls;
        this.transactions = transactions;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    FeedManagement() {
        this(null, null);
    }

    /** Called once at start; a proxy's first call makes the bean and so registers it. */
    public void show() {
        LOG.log(Level.DEBUG, "feeds are seen as {0}", NAME);
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
            LOG.log(Level.WARNING, "feeds cannot be seen over JMX: {0}", e.toString());
        }
    }

    @PreDestroy
    void unregister() {
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(new ObjectName(NAME));
        } catch (JMException e) {
            LOG.log(Level.DEBUG, "feeds were not registered over JMX: {0}", e.toString());
        }
    }

    @Override
    public int getWaitingPolls() {
        return polls.waiting();
    }

    @Override
    public long getOldestTransactionSeconds() {
        return transactions.oldest().age().toSeconds();
    }

    @Override
    public String getOldestTransactionKind() {
        return transactions.oldest().kind().name();
    }

    @Override
    public boolean isOldestTransactionAlarm() {
        return transactions.oldest().alarm();
    }

    @Override
    public long getReplicationSlotTransactions() {
        return transactions.oldest().slotTransactions();
    }
}
