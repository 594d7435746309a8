package dev.ringfence.job;

import dev.ringfence.receipt.Outcomes;
import dev.ringfence.receipt.ReceiptDesk;
import dev.ringfence.receipt.Settlement;
import dev.ringfence.reservation.Reservations;
import dev.ringfence.reservation.Reserved;
import dev.ringfence.time.DatabaseTime;
import dev.ringfence.transport.OutcomeCode;
import dev.ringfence.transport.SendResult;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** From answers to receipts, in short windows, each a committed transaction; under the fence until the last (FN-7). */
@ApplicationScoped
public class Landing {
    private static final Logger LOG = System.getLogger(Landing.class.getName());
    private static final Duration LINGER = Duration.ofMillis(8);
    private static final Duration LOST_RACE = Duration.ofMillis(200);
    private static final int WINDOW = 500;
    private static final int REQUEST_TIMEOUT = 408;

    /** Who has not answered by then keeps its flight waiting. */
    private static final Duration SLOW = Duration.ofMillis(300);

    private final ReceiptDesk desk;
    private final Reservations reservations;
    private final Slots slots;
    private final CandidateFeed feed;
    private final Clock clock;

    @Inject
    public Landing(
            ReceiptDesk desk, Reservations reservations, Slots slots, CandidateFeed feed, @DatabaseTime Clock clock) {
        this.desk = desk;
        this.reservations = reservations;
        this.slots = slots;
        this.feed = feed;
        this.clock = clock;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    Landing() {
        this(null, null, null, null, null);
    }

    /**
     * Waits for answers, at most that long, and settles those that came.
     *
     * @return how many came
     */
    int settleNext(Flight flight, Duration wait) throws InterruptedException {
        List<Answer> answers = flight.take(wait, LINGER, WINDOW);
        if (!answers.isEmpty()) {
            try {
                settle(answers, flight.fence().alive());
            } finally {
                flight.settled(answers);
                free(answers);
            }
        }
        if (flight.open() > 0 && flight.age().compareTo(SLOW) > 0) {
            slots.dragging(flight.awaited());
        }
        return answers.size();
    }

    /** Gives up on what is still open: the ledger says SENDING, and reconciliation will close it. */
    void abandon(Flight flight) {
        slots.free(flight.openIds());
    }

    private void settle(List<Answer> answers, boolean fenceAlive) {
        Instant now = clock.instant();
        List<Settlement> settlements = new ArrayList<>(answers.size());
        List<Reserved> unstarted = new ArrayList<>();
        for (Answer answer : answers) {
            Reserved reserved = answer.attempted().reserved();
            SendResult result = fenceAlive ? answer.result() : withoutFence(answer.result());
            slots.behaved(
                    reserved.subscriptionId(),
                    pace(answer.result(), answer.after().compareTo(SLOW) > 0));
            if (result instanceof SendResult.NotStarted) {
                unstarted.add(reserved);
            } else {
                double chance = ThreadLocalRandom.current().nextDouble();
                settlements.add(Outcomes.of(answer.attempted(), result, now, chance));
            }
        }
        if (!settlements.isEmpty()) {
            desk.hand(settlements, now);
        }
        if (!unstarted.isEmpty()) {
            release(unstarted, now);
        }
    }

    private void release(List<Reserved> unstarted, Instant now) {
        try {
            reservations.release(unstarted, now);
        } catch (RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "delivery: {0} reservations could not go back and stay spent: {1}",
                    unstarted.size(),
                    e.toString());
        }
    }

    private void free(List<Answer> answers) {
        List<Long> settled = new ArrayList<>();
        List<Long> again = new ArrayList<>();
        for (Answer answer : answers) {
            boolean unstarted = answer.result() instanceof SendResult.NotStarted;
            (unstarted ? again : settled).add(answer.attempted().reserved().deliveryId());
        }
        slots.free(settled);
        slots.rest(again, LOST_RACE);
        feed.slotsFreed();
    }

    /** FN-6: once HTTP began, an answer that came without the fence proves nothing. What proves that no byte left, still does. */
    static SendResult withoutFence(SendResult result) {
        if (result instanceof SendResult.Acknowledged ack) {
            return new SendResult.Uncertain(OutcomeCode.FENCE_LOST, ack.status(), null);
        }
        if (result instanceof SendResult.Failed failed && failed.status() != null) {
            return new SendResult.Uncertain(OutcomeCode.FENCE_LOST, failed.status(), failed.retryAfter());
        }
        if (result instanceof SendResult.Uncertain uncertain) {
            return new SendResult.Uncertain(OutcomeCode.FENCE_LOST, uncertain.status(), uncertain.retryAfter());
        }
        return result;
    }

    /**
     * An answer that never came to its end is as bad as none, and so is a connection that does not come about; a receiver that says
     * 408, or refuses at once, has answered.
     */
    static Pace pace(SendResult result, boolean late) {
        boolean timedOut = result instanceof SendResult.Uncertain uncertain
                && uncertain.code() == OutcomeCode.TIMEOUT
                && !Integer.valueOf(REQUEST_TIMEOUT).equals(uncertain.status());
        if (timedOut || (late && result instanceof SendResult.NotSent)) {
            return Pace.HUNG;
        }
        return late ? Pace.SLOW : Pace.QUICK;
    }
}
