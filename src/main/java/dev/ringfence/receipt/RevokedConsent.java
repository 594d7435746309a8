package dev.ringfence.receipt;

import dev.ringfence.delivery.DeliveryState;
import dev.ringfence.receipt.NarrowedRepository.Narrowed;
import dev.ringfence.receipt.NarrowedRepository.Waiting;
import dev.ringfence.time.DatabaseTime;
import dev.ringfence.transport.OutcomeCode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Fails what waits without consent, however late it is due, when grants were narrowed (SB-5); also while the subscription is paused. What comes due
 * is judged again before each attempt in any case. Any node may run it at any time.
 */
@ApplicationScoped
public class RevokedConsent {

    /** Longer than any fan-out under way that has read the grants of before. */
    static final Duration WATCHED = Duration.ofMinutes(5);

    /** Then it is looked at again, also where a node died over it. */
    private static final Duration AGAIN = Duration.ofMinutes(1);

    private static final int SUBSCRIPTIONS = 10;
    private static final int PAGE = 500;

    private final NarrowedRepository narrowed;
    private final Conclusions conclusions;
    private final Clock clock;

    @Inject
    public RevokedConsent(NarrowedRepository narrowed, Conclusions conclusions, @DatabaseTime Clock clock) {
        this.narrowed = narrowed;
        this.conclusions = conclusions;
        this.clock = clock;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    RevokedConsent() {
        this(null, null, null);
    }

    /** Looks at a few subscriptions, in transactions of bounded size; returns how many deliveries failed. */
    public int sweep() {
        Instant now = clock.instant();
        return narrowed.claim(now, AGAIN, SUBSCRIPTIONS).stream()
                .mapToInt(one -> look(one, now))
                .sum();
    }

    private int look(Narrowed one, Instant now) {
        int failed = 0;
        int left = 0;
        List<Waiting> page = narrowed.page(one, null, PAGE);
        while (!page.isEmpty()) {
            List<Conclusion> refused = new ArrayList<>();
            for (Waiting delivery : page) {
                String event = delivery.eventName();
                if (event != null && !one.grants().allow(event)) {
                    refused.add(new Conclusion(
                            delivery.id(), delivery.cycle(), DeliveryState.FAILED, OutcomeCode.ACCESS_ABSENT));
                }
            }
            int ended = conclusions.conclude(refused, now);
            failed += ended;
            left += refused.size() - ended;
            page = page.size() < PAGE ? List.of() : narrowed.page(one, page.get(page.size() - 1), PAGE);
        }
        if (left == 0 && one.since().plus(WATCHED).isBefore(now)) {
            narrowed.done(one);
        }
        return failed;
    }
}
