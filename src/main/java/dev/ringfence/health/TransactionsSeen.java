package dev.ringfence.health;

import dev.ringfence.feed.OldestTransaction;
import dev.ringfence.feed.TransactionWatch;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/**
 * Tells of the oldest open transaction (PL-3). Always up: what somebody keeps open holds back the feeds of every node, so that sending
 * requests to another one would not help.
 */
@Readiness
@ApplicationScoped
public class TransactionsSeen implements HealthCheck {
    private final TransactionWatch watch;

    @Inject
    public TransactionsSeen(TransactionWatch watch) {
        this.watch = watch;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    TransactionsSeen() {
        this(null);
    }

    @Override
    public HealthCheckResponse call() {
        OldestTransaction oldest = watch.oldest();
        return HealthCheckResponse.named("ringfence-transactions")
                .withData("oldestSeconds", oldest.age().toSeconds())
                .withData("kind", oldest.kind().name())
                .withData("alarm", oldest.alarm())
                .withData("replicationSlotTransactions", oldest.slotTransactions())
                .up()
                .build();
    }
}
