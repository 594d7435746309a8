package dev.ringfence.wake;

import dev.ringfence.fanout.DeliveriesReady;
import dev.ringfence.job.CandidateFeed;
import dev.ringfence.recording.Recorded;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.TransactionPhase;
import jakarta.inject.Inject;

/** Passes on, within this process, that something was committed: recorded events to the publisher, deliveries to the workers. */
@ApplicationScoped
public class Signals {
    private final FanoutRunner fanout;
    private final CandidateFeed feed;

    @Inject
    public Signals(FanoutRunner fanout, CandidateFeed feed) {
        this.fanout = fanout;
        this.feed = feed;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    Signals() {
        this(null, null);
    }

    void recorded(@Observes(during = TransactionPhase.AFTER_SUCCESS) Recorded recorded) {
        fanout.signal();
    }

    void ready(@Observes DeliveriesReady ready) {
        feed.signal();
    }
}
