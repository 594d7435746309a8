package dev.ringfence.fanout;

import dev.ringfence.fanout.FanoutCounters.Counter;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;

/** Counts and logs what committed: one fact for each transition, with ids and codes only (OB-6). */
@ApplicationScoped
public class FanoutJournal {

    private static final System.Logger LOG = System.getLogger(FanoutJournal.class.getName());

    private final FanoutCounters counters;
    private final Clock clock;

    @Inject
    public FanoutJournal(FanoutCounters counters, Clock clock) {
        this.counters = counters;
        this.clock = clock;
    }

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    protected FanoutJournal() {
        this.counters = null;
        this.clock = null;
    }

    void claimed(Claim claim) {
        counters.add(Counter.EVENTS_CLAIMED, claim.events().size());
        counters.add(Counter.LEASES_TAKEN_OVER, claim.takenOver());
        if (claim.takenOver() > 0) {
            LOG.log(Level.INFO, "fanout outcome=TAKEN_OVER events={0}", claim.takenOver());
        }
    }

    /** What one transaction wrote of the events that it was given. */
    void written(FanoutPlan written, int given) {
        counters.add(
                Counter.LEASES_LOST,
                given - written.moves().size() - written.rest().size());
        written.moves().forEach(this::moved);
        for (PlannedDelivery delivery : written.deliveries()) {
            counters.add(
                    switch (delivery.fate()) {
                        case SEND -> Counter.DELIVERIES_QUEUED;
                        case SKIP -> Counter.DELIVERIES_SKIPPED;
                        case DENY -> Counter.DELIVERIES_DENIED;
                        case OVERSIZE -> Counter.DELIVERIES_OVERSIZE;
                    },
                    1);
        }
    }

    /** An event that cannot be published. Only kinds are logged: the database's messages quote values. */
    void failed(ClaimedEvent event, RuntimeException failure) {
        LOG.log(
                Level.WARNING,
                "fanout outcome=FANOUT_FAILED eventId={0} attempt={1} failure={2} state={3}",
                event.eventId(),
                event.attempt(),
                failure.getClass().getName(),
                SqlState.codeOf(failure));
    }

    private void moved(OutboxMove move) {
        counters.add(
                switch (move.status()) {
                    case PUBLISHED -> Counter.EVENTS_PUBLISHED;
                    case DISCARDED -> Counter.EVENTS_DISCARDED;
                    case DEAD_LETTERED -> Counter.EVENTS_DEAD_LETTERED;
                    case FAILED_RETRYABLE -> Counter.EVENTS_RETRIED;
                    case PENDING, CLAIMED -> throw new IllegalArgumentException("no end of a lease: " + move.status());
                },
                1);
        LOG.log(level(move), () -> fact(move));
    }

    private static Level level(OutboxMove move) {
        return switch (move.status()) {
            case DEAD_LETTERED -> Level.WARNING;
            case DISCARDED -> Level.INFO;
            default -> Level.DEBUG;
        };
    }

    private String fact(OutboxMove move) {
        ClaimedEvent event = move.event();
        return "fanout transition=CLAIMED>" + move.status()
                + " outcome=" + (move.code() == null ? "OK" : move.code())
                + " family=" + event.eventName()
                + " attempt=" + event.attempt()
                + " ageMs="
                + Duration.between(event.recordedAt(), clock.instant()).toMillis()
                + " eventId=" + event.eventId()
                + " ordinal=" + event.ordinal()
                + " tenantId=" + event.tenantId();
    }
}
