package dev.ringfence.transport;

import dev.ringfence.time.NanoClock;
import dev.ringfence.transport.SendResult.Cancelled;
import dev.ringfence.transport.SendResult.Failed;
import dev.ringfence.transport.SendResult.NotSent;
import dev.ringfence.transport.SendResult.NotStarted;
import dev.ringfence.transport.SendResult.Uncertain;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One request from {@code send} to its result.
 *
 * <p>Two threads decide about it, the timer's and the connection's. Which of them is first is settled by one
 * compare-and-swap from {@code BEFORE} to {@code SENT}: only who wins it may write the first byte, and only while it has
 * not been won does anybody say that nothing was sent.
 */
final class Exchange {
    private enum State {
        BEFORE,
        SENT,
        OVER
    }

    /** How far it came before the first byte: says whose fault it is if it comes no further. */
    enum Stage {
        AUTHORIZING(new NotSent(OutcomeCode.TOKEN_UNAVAILABLE)),
        RESOLVING(new NotSent(OutcomeCode.NAME_NOT_RESOLVED)),
        WAITING(new NotStarted()),
        TUNNELLING(new NotSent(OutcomeCode.PROXY_FAILED)),
        CONNECTING(new NotSent(OutcomeCode.CONNECT_FAILED)),
        SECURING(new NotSent(OutcomeCode.TLS_FAILED)),
        /** HTTP/2 was agreed upon, and the receiver does not begin it. */
        SETTLING(new NotSent(OutcomeCode.CONNECT_FAILED)),
        CONNECTED(new NotStarted());

        @SuppressWarnings("ImmutableEnumChecker") // records of enums
        private final SendResult failure;

        Stage(SendResult failure) {
            this.failure = failure;
        }
    }

    private final Outbound outbound;
    private final Destination destination;
    private final Answer.Judge judge;
    private final NanoClock clock;
    private final long deadline;
    private final CompletableFuture<SendResult> result = new CompletableFuture<>();
    private final AtomicReference<State> state = new AtomicReference<>(State.BEFORE);
    private final AtomicReference<@Nullable Seat> held = new AtomicReference<>();

    private volatile Stage stage = Stage.RESOLVING;
    private volatile @Nullable Future<?> queued;
    private volatile @Nullable Future<?> alarm;
    private volatile @Nullable Integer status;
    private volatile @Nullable SendResult refusal;
    private volatile @Nullable AccessToken token;
    private volatile boolean reusable;

    @SuppressWarnings("FutureReturnValueIgnored") // cleanUp throws nothing that anybody could handle
    Exchange(Outbound outbound, Destination destination, Answer.Judge judge, NanoClock clock) {
        this.outbound = outbound;
        this.destination = destination;
        this.judge = judge;
        this.clock = clock;
        this.deadline = clock.nanos() + outbound.timeout().toNanos();
        // For a caller who cancels; otherwise all is cleaned up before anybody hears of the result.
        result.whenComplete((r, e) -> cleanUp());
    }

    Outbound outbound() {
        return outbound;
    }

    Destination destination() {
        return destination;
    }

    Answer.Judge judge() {
        return judge;
    }

    /** What it carries in Authorization, null for nothing of an authorization server's. */
    @Nullable
    AccessToken token() {
        return token;
    }

    void carry(AccessToken given) {
        token = given;
    }

    CompletableFuture<SendResult> result() {
        return result;
    }

    boolean isOver() {
        return state.get() == State.OVER;
    }

    /** Whether the time to send was over before anything was tried. */
    boolean isTooLate() {
        return clock.nanos() - outbound.sendByNanos() >= 0;
    }

    /** Whether the time for an answer is over. */
    boolean isOverdue() {
        return clock.nanos() - deadline >= 0;
    }

    /** At least a millisecond. */
    Duration remaining() {
        return Duration.ofNanos(Math.max(deadline - clock.nanos(), TimeUnit.MILLISECONDS.toNanos(1)));
    }

    /** First rings when nothing may be sent any more, or at the deadline; then once more at the deadline. */
    void arm(ScheduledExecutorService timer) {
        long now = clock.nanos();
        long untilDeadline = deadline - now;
        long untilSendBy = state.get() == State.BEFORE ? outbound.sendByNanos() - now : Long.MAX_VALUE;
        alarm = timer.schedule(
                () -> ring(timer), Math.max(0, Math.min(untilDeadline, untilSendBy)), TimeUnit.NANOSECONDS);
        if (isOver()) {
            cancel(alarm);
        }
    }

    private void ring(ScheduledExecutorService timer) {
        if (failBeforeFirstByte()) {
            return;
        }
        Seat seat = held.get();
        if (isOverdue()) {
            fail(OutcomeCode.TIMEOUT);
        } else if (seat != null && !seat.hasLeft()) {
            // Nothing may be sent any more, and its first byte still waits behind others: the connection is given up
            // with it.
            fail(OutcomeCode.CONNECTION_BROKEN);
        } else {
            arm(timer);
        }
    }

    /** Called before each step towards the first byte. */
    void enter(Stage next) {
        stage = next;
    }

    /** A place in the queue for a slot, to be left should the exchange end first. */
    void waitsFor(Future<?> lease) {
        queued = lease;
        if (isOver()) {
            cancel(lease);
        }
    }

    /** Takes over a slot; false where it is too late, then it has been given back. */
    boolean hold(Seat seat) {
        held.set(seat);
        if (isOver()) {
            releaseHeld();
            return false;
        }
        return true;
    }

    /** Leaves what it holds to somebody else; false where it is too late, then it has been given back. */
    boolean handOver() {
        return held.getAndSet(null) != null;
    }

    /** Gives the slot back, to try another connection. */
    void letGo() {
        reusable = false;
        releaseHeld();
    }

    /** The last check, immediately before the first byte (RD-5). After true the request counts as sent. */
    boolean beginSending() {
        if (isTooLate()) {
            failBeforeFirstByte();
            return false;
        }
        return state.compareAndSet(State.BEFORE, State.SENT);
    }

    boolean isBeforeFirstByte() {
        return state.get() == State.BEFORE;
    }

    /** Ends it, if no byte was sent yet, with what the stage stands for. */
    boolean failBeforeFirstByte() {
        return endBeforeFirstByte(stage.failure);
    }

    boolean endBeforeFirstByte(SendResult why) {
        if (!state.compareAndSet(State.BEFORE, State.OVER)) {
            return false;
        }
        cleanUp();
        return result.complete(why);
    }

    /** The answer's head is complete. What it says of the rest counts even if the rest does not come, but for a refusal. */
    void headArrived(int answerStatus, @Nullable SendResult headRefusal) {
        status = answerStatus;
        refusal = headRefusal;
    }

    /** Ends it with a complete answer. */
    void answered(SendResult answer, boolean connectionReusable) {
        reusable = connectionReusable;
        end(answer);
    }

    /**
     * Ends it without a complete answer after the first byte. A head that refuses is no definite refusal then (AT-4); when to ask again
     * is heeded all the same (AT-6).
     */
    void fail(OutcomeCode code) {
        SendResult said = refusal;
        if (said instanceof Failed failed) {
            end(new Uncertain(code, status, failed.retryAfter()));
        } else {
            end(said != null ? said : new Uncertain(code, status, null));
        }
    }

    /** Ends it as its answer's body came up to the cap. A head that refuses is a refusal then: it is us who do not read on. */
    void endAtCap() {
        SendResult said = refusal;
        if (said != null) {
            answered(said, false);
        } else {
            fail(OutcomeCode.ACK_TOO_LARGE);
        }
    }

    /** Ends it because a redaction wants it gone: before the first byte nothing was sent, after it nobody knows. */
    void cancel() {
        if (!endBeforeFirstByte(new Cancelled())) {
            fail(OutcomeCode.REDACTED);
        }
    }

    /** Ends it because this process stops. */
    void abort() {
        if (!endBeforeFirstByte(new NotStarted())) {
            fail(OutcomeCode.CONNECTION_BROKEN);
        }
    }

    private void end(SendResult end) {
        if (state.getAndSet(State.OVER) != State.OVER) {
            cleanUp();
            AccessToken carried = token;
            result.complete(carried == null ? end : carried.learn(end));
        }
    }

    private void cleanUp() {
        state.set(State.OVER);
        cancel(alarm);
        cancel(queued);
        releaseHeld();
    }

    private void releaseHeld() {
        Seat seat = held.getAndSet(null);
        if (seat != null) {
            seat.release(reusable);
        }
    }

    private static void cancel(@Nullable Future<?> future) {
        if (future != null) {
            // Never by interruption: it may be the timer itself that ends the exchange.
            future.cancel(false);
        }
    }
}
