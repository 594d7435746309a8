package dev.ringfence.fanout;

import dev.ringfence.config.Settings;
import dev.ringfence.outbox.EventAt;
import dev.ringfence.time.DatabaseTime;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The outbox publisher. Any number of threads and nodes may run it at once: a lease belongs to one of them, and each step commits by
 * itself (OB-2, OB-3).
 */
@ApplicationScoped
public class Fanout {

    private static final int TRIES = 3;

    private final Claims claims;
    private final Publication publication;
    private final FanoutJournal journal;
    private final Event<DeliveriesReady> ready;
    private final Settings settings;
    private final Clock clock;

    @Inject
    public Fanout(
            Claims claims,
            Publication publication,
            FanoutJournal journal,
            Event<DeliveriesReady> ready,
            Settings settings,
            @DatabaseTime Clock clock) {
        this.claims = claims;
        this.publication = publication;
        this.journal = journal;
        this.ready = ready;
        this.settings = settings;
        this.clock = clock;
    }

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    protected Fanout() {
        this.claims = null;
        this.publication = null;
        this.journal = null;
        this.ready = null;
        this.settings = null;
        this.clock = null;
    }

    /**
     * Claims one batch and publishes it. Call it without a transaction. An event that makes its transaction fail is isolated by halves, so
     * that it harms no other; a database that is out of reach ends the run with its exception, and the leases run out.
     */
    public FanoutResult runOnce() {
        return publish(claims.claim());
    }

    /** As {@link #runOnce()}, of these events those that still wait. */
    public FanoutResult runOnce(List<EventAt> events) {
        return publish(claims.claim(events));
    }

    private FanoutResult publish(Claim claim) {
        if (claim.events().isEmpty()) {
            return FanoutResult.NOTHING;
        }
        journal.claimed(claim);
        long published = 0;
        int queued = 0;
        Deque<List<ClaimedEvent>> work = new ArrayDeque<>(List.of(claim.events()));
        while (!work.isEmpty() && clock.instant().isBefore(claim.until())) {
            List<ClaimedEvent> part = work.pop();
            FanoutPlan written = write(claim.holder(), part);
            journal.written(written, part.size());
            putBack(written, work);
            published += written.published();
            queued += announce(written);
        }
        boolean more = claim.events().size() >= settings.fanoutBatch();
        return new FanoutResult(claim.events().size(), Math.toIntExact(published), queued, more);
    }

    private FanoutPlan write(String holder, List<ClaimedEvent> part) {
        try {
            return publish(holder, part);
        } catch (RuntimeException failure) {
            if (SqlState.of(failure) == SqlState.OUT_OF_REACH) {
                throw failure;
            }
            if (part.size() > 1) {
                return FanoutPlan.untouched(part);
            }
            journal.failed(part.get(0), failure);
            return publication.giveUp(holder, part.get(0));
        }
    }

    private FanoutPlan publish(String holder, List<ClaimedEvent> part) {
        for (int tried = 1; ; tried++) {
            try {
                return publication.publish(holder, part);
            } catch (RuntimeException failure) {
                if (tried == TRIES || SqlState.of(failure) != SqlState.CONFLICT) {
                    throw failure;
                }
            }
        }
    }

    /** What a full plan left goes on as it is; what failed together is tried in halves. */
    private static void putBack(FanoutPlan written, Deque<List<ClaimedEvent>> work) {
        List<ClaimedEvent> rest = written.rest();
        if (rest.isEmpty()) {
            return;
        }
        int half = written.moves().isEmpty() ? rest.size() / 2 : 0;
        work.push(rest.subList(half, rest.size()));
        if (half > 0) {
            work.push(rest.subList(0, half));
        }
    }

    private int announce(FanoutPlan written) {
        int queued = Math.toIntExact(written.queued());
        if (queued > 0) {
            ready.fire(new DeliveriesReady(queued));
        }
        return queued;
    }
}
