package dev.ringfence.feed;

import dev.ringfence.management.ShownWhileDeployed;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

/** Shows feeds in the platform's MBean server as long as the application is deployed. */
@ApplicationScoped
public class FeedManagement extends ShownWhileDeployed implements FeedMXBean {
    private final FeedPolls polls;
    private final TransactionWatch transactions;

    @Inject
    public FeedManagement(FeedPolls polls, TransactionWatch transactions) {
        super("Feed");
        this.polls = polls;
        this.transactions = transactions;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    FeedManagement() {
        this(null, null);
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
