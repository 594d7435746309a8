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
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

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

    /** After so many a beat begins no further round: others wait for its thread. */
    private static final int MOST_PAGES = 20;

    private static final int MOST_UNFINISHED = 1_000;

    private final NarrowedRepository narrowed;
    private final Conclusions conclusions;
    private final Clock clock;
    private final Map<UUID, Look> unfinished = new ConcurrentHashMap<>();

    /** How far one subscription was looked at. */
    private static final class Look {
        private final Narrowed of;
        private final Instant began;
        private @Nullable Waiting after;
        private int left;
        private boolean over;

        Look(Narrowed of, Instant began) {
            this.of = of;
            this.began = began;
        }

        /** With the grants of now. */
        Look with(Narrowed now) {
            Look look = new Look(now, began);
            look.after = after;
            look.left = left;
            return look;
        }
    }

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

    /**
     * Looks at a few subscriptions, as far as a beat may go, in transactions of bounded size; the next goes on there. Returns how many
     * deliveries failed.
     */
    public int sweep() {
        Instant now = clock.instant();
        List<Look> looks = narrowed.claim(now, AGAIN, SUBSCRIPTIONS).stream()
                .map(one -> begun(one, now))
                .toList();
        int failed = 0;
        List<Look> open = looks;
        int pages = 0;
        while (pages < MOST_PAGES && !open.isEmpty()) {
            for (Look look : open) {
                failed += next(look, now);
                pages++;
            }
            open = open.stream().filter(look -> !look.over).toList();
        }
        looks.forEach(look -> end(look, now));
        return failed;
    }

    /** Where the beat before came to; from the start where that was on another node, or the grants were narrowed since. */
    private Look begun(Narrowed one, Instant now) {
        Look before = unfinished.remove(one.id());
        return before != null && before.of.since().equals(one.since()) ? before.with(one) : new Look(one, now);
    }

    private int next(Look look, Instant now) {
        List<Waiting> page = narrowed.page(look.of, look.after, PAGE);
        List<Conclusion> refused = new ArrayList<>();
        for (Waiting delivery : page) {
            String event = delivery.eventName();
            if (event != null && !look.of.grants().allow(event)) {
                refused.add(new Conclusion(
                        delivery.id(), delivery.cycle(), DeliveryState.FAILED, OutcomeCode.ACCESS_ABSENT));
            }
        }
        int ended = conclusions.conclude(refused, now);
        look.left += refused.size() - ended;
        look.over = page.size() < PAGE;
        if (!look.over) {
            look.after = page.get(page.size() - 1);
        }
        return ended;
    }

    private void end(Look look, Instant now) {
        if (!look.over) {
            if (unfinished.size() >= MOST_UNFINISHED) {
                unfinished.clear();
            }
            unfinished.put(look.of.id(), look);
            narrowed.again(look.of, now);
        } else if (look.left == 0 && look.of.since().plus(WATCHED).isBefore(look.began)) {
            narrowed.done(look.of);
        }
    }
}
