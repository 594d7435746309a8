package dev.ringfence.feed;

import dev.ringfence.management.ManagementBeans;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** Shows feeds in the platform's MBean server as long as the application is deployed. */
@ApplicationScoped
public class FeedManagement implements FeedMXBean {
    private static final Logger LOG = System.getLogger(FeedManagement.class.getName());
    private static final String TYPE = "Feed";

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
        LOG.log(Level.DEBUG, "feeds are seen as {0}", TYPE);
    }

    @PostConstruct
    void register() {
        ManagementBeans.show(TYPE, this);
    }

    @PreDestroy
    void unregister() {
        ManagementBeans.hide(TYPE);
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
