package dev.ringfence.receipt;

import dev.ringfence.delivery.AttemptState;
import dev.ringfence.delivery.DeliveryState;
import dev.ringfence.subscription.Semantics;
import dev.ringfence.transport.OutcomeCode;
import dev.ringfence.transport.RetryAfter;
import dev.ringfence.transport.SendResult;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What a result means for the attempt and for the delivery (AT-4, AT-5, AT-6, DL-2). A pure function. */
public final class Outcomes {

    private Outcomes() {}

    /**
     * @param now when the result was known
     * @param chance 0 … 1, for the jitter of the next wait
     * @throws IllegalArgumentException for {@link SendResult.NotStarted}: such a reservation is released, not settled
     */
    public static Settlement of(Attempted attempted, SendResult result, Instant now, double chance) {
        if (result instanceof SendResult.Acknowledged ack) {
            return new Settlement(
                    attempted.reserved(),
                    AttemptState.ACKNOWLEDGED,
                    null,
                    ack.status(),
                    null,
                    ack.receipt(),
                    DeliveryState.DELIVERED,
                    null,
                    null);
        }
        if (result instanceof SendResult.Failed failed && attempted.triesAgain(failed.status())) {
            Instant asked = asked(failed.retryAfter(), attempted.expiry(), now);
            return again(attempted, AttemptState.FAILED, failed.code(), failed.status(), asked, now, chance);
        }
        if (result instanceof SendResult.Failed failed) {
            return ended(
                    attempted,
                    AttemptState.FAILED,
                    failed.code(),
                    failed.status(),
                    null,
                    DeliveryState.DEAD,
                    failed.code());
        }
        if (result instanceof SendResult.Forbidden) {
            OutcomeCode code = OutcomeCode.DESTINATION_NOT_ALLOWED;
            return ended(attempted, AttemptState.FAILED, code, null, null, DeliveryState.FAILED, code);
        }
        if (result instanceof SendResult.Uncertain uncertain) {
            Instant asked = asked(uncertain.retryAfter(), attempted.expiry(), now);
            if (attempted.semantics() == Semantics.AT_MOST_ONCE) {
                OutcomeCode code = uncertain.code();
                return ended(
                        attempted, AttemptState.UNCERTAIN, code, uncertain.status(), asked, DeliveryState.DEAD, code);
            }
            return again(attempted, AttemptState.UNCERTAIN, uncertain.code(), uncertain.status(), asked, now, chance);
        }
        if (result instanceof SendResult.NotSent notSent) {
            return again(attempted, AttemptState.NOT_SENT, notSent.code(), null, null, now, chance);
        }
        if (result instanceof SendResult.Cancelled) {
            return cancelled(attempted, OutcomeCode.REDACTED);
        }
        throw new IllegalArgumentException("a request that never started is released");
    }

    /** An attempt that a redaction or a disabled application stopped before HTTP: spent, and the delivery ends. */
    public static Settlement cancelled(Attempted attempted, OutcomeCode why) {
        return ended(attempted, AttemptState.CANCELLED, why, null, null, DeliveryState.FAILED, why);
    }

    private static Settlement again(
            Attempted attempted,
            AttemptState state,
            OutcomeCode code,
            @Nullable Integer status,
            @Nullable Instant asked,
            Instant now,
            double chance) {
        if (attempted.last()) {
            return ended(attempted, state, code, status, asked, DeliveryState.DEAD, OutcomeCode.EXHAUSTED);
        }
        Instant due = due(attempted, asked, now, chance);
        return new Settlement(
                attempted.reserved(), state, code, status, asked, null, DeliveryState.RETRYING, due, code);
    }

    /** Never earlier than asked; at the end of the age budget the delivery comes due once more, to expire without a request. */
    private static Instant due(Attempted attempted, @Nullable Instant asked, Instant now, double chance) {
        Instant due = now.plus(attempted.retry().waitAfter(attempted.reserved().cycleAttempt(), chance));
        if (asked != null && asked.isAfter(due)) {
            due = asked;
        }
        return due.isAfter(attempted.expiry()) ? attempted.expiry() : due;
    }

    /** Between now and the budget's end, so that nothing, however absurd, overflows an instant or the database (D02). */
    private static @Nullable Instant asked(@Nullable RetryAfter retryAfter, Instant expiry, Instant now) {
        if (retryAfter == null) {
            return null;
        }
        if (retryAfter instanceof RetryAfter.At at) {
            Instant moment = at.moment().isBefore(now) ? now : at.moment();
            return moment.isAfter(expiry) ? expiry : moment;
        }
        long seconds = ((RetryAfter.Seconds) retryAfter).seconds();
        long budget = Math.max(0, Duration.between(now, expiry).toSeconds());
        return seconds > budget ? expiry : now.plusSeconds(seconds);
    }

    private static Settlement ended(
            Attempted attempted,
            AttemptState state,
            OutcomeCode code,
            @Nullable Integer status,
            @Nullable Instant asked,
            DeliveryState delivery,
            OutcomeCode lastCode) {
        return new Settlement(attempted.reserved(), state, code, status, asked, null, delivery, null, lastCode);
    }
}
