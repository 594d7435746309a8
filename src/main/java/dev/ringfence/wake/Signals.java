package dev.ringfence.wake;

import dev.ringfence.apps.AppDisabled;
import dev.ringfence.fanout.DeliveriesReady;
import dev.ringfence.job.CandidateFeed;
import dev.ringfence.job.DeliverySwitch;
import dev.ringfence.job.Heartbeat;
import dev.ringfence.ordering.KeysMoved;
import dev.ringfence.recording.Recorded;
import dev.ringfence.redaction.RedactionRequested;
import dev.ringfence.redaction.TenantCancelled;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.TransactionPhase;
import jakarta.inject.Inject;

/**
 * Passes on that something was committed: recorded events to the publisher, deliveries to the workers. Here always, to other nodes
 * where there is something for them to do.
 */
@ApplicationScoped
public class Signals {
    private final FanoutRunner fanout;
    private final ErasureRunner erasure;
    private final CandidateFeed feed;
    private final FeedRunner readers;
    private final OrderRunner order;
    private final Announcer others;
    private final Heartbeat heartbeat;
    private final DeliverySwitch delivery;

    @Inject
    public Signals(
            FanoutRunner fanout,
            ErasureRunner erasure,
            CandidateFeed feed,
            FeedRunner readers,
            OrderRunner order,
            Announcer others,
            Heartbeat heartbeat,
            DeliverySwitch delivery) {
        this.fanout = fanout;
        this.erasure = erasure;
        this.feed = feed;
        this.readers = readers;
        this.order = order;
        this.others = others;
        this.heartbeat = heartbeat;
        this.delivery = delivery;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    Signals() {
        this(null, null, null, null, null, null, null, null);
    }

    void recorded(@Observes(during = TransactionPhase.AFTER_SUCCESS) Recorded recorded) {
        fanout.recorded(recorded.events());
        if (!delivery.on()) {
            others.announce(Hint.RECORDED);
        }
    }

    void ready(@Observes DeliveriesReady ready) {
        feed.signal();
        readers.signal();
        if (heartbeat.shared()) {
            others.announce(Hint.READY);
        }
    }

    void moved(@Observes(during = TransactionPhase.AFTER_SUCCESS) KeysMoved queues) {
        order.moved(queues.keys());
    }

    void requested(@Observes(during = TransactionPhase.AFTER_SUCCESS) RedactionRequested redaction) {
        erasure.signal();
    }

    void disabled(@Observes(during = TransactionPhase.AFTER_SUCCESS) AppDisabled app) {
        erasure.signal();
    }

    /** This node's own workers hear it themselves. */
    void cancelled(@Observes TenantCancelled tenant) {
        others.announceCancelled(tenant.tenantId());
    }
}
