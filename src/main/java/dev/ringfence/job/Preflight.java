package dev.ringfence.job;

import dev.ringfence.delivery.DeliveryState;
import dev.ringfence.receipt.Conclusion;
import dev.ringfence.subscription.Subscription;
import dev.ringfence.subscription.SubscriptionStatus;
import dev.ringfence.transport.OutcomeCode;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Whether a due delivery ends without a request (SB-5, AT-5, AT-6). A pure function. */
final class Preflight {

    private Preflight() {}

    /**
     * Why the delivery ends here; empty where it may be attempted.
     *
     * @param subscription null where it is gone
     * @param maxAttempts most attempts of a cycle
     */
    static Optional<Conclusion> judge(
            Candidate candidate, @Nullable Subscription subscription, Instant now, Duration maxAge, int maxAttempts) {
        OutcomeCode lost = lost(candidate, subscription);
        if (lost != null) {
            return Optional.of(new Conclusion(candidate.id(), candidate.cycle(), DeliveryState.FAILED, lost));
        }
        OutcomeCode used = null;
        if (!candidate.cycleStartedAt().plus(maxAge).isAfter(now)) {
            used = OutcomeCode.EXPIRED;
        } else if (candidate.cycleAttempts() >= maxAttempts) {
            used = OutcomeCode.EXHAUSTED;
        }
        return used == null
                ? Optional.empty()
                : Optional.of(new Conclusion(candidate.id(), candidate.cycle(), DeliveryState.DEAD, used));
    }

    private static @Nullable OutcomeCode lost(Candidate candidate, @Nullable Subscription subscription) {
        if (subscription == null) {
            return OutcomeCode.SUBSCRIPTION_GONE;
        }
        if (!candidate.appEnabled()) {
            return OutcomeCode.APP_DISABLED;
        }
        if (subscription.status() == SubscriptionStatus.DISABLED) {
            return OutcomeCode.SUBSCRIPTION_DISABLED;
        }
        String name = candidate.eventName();
        return name != null && !subscription.grants().allow(name) ? OutcomeCode.ACCESS_ABSENT : null;
    }
}
