package dev.ringfence.subscription;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/**
 * Counts deliveries that died in a row and attempts that failed in a row. It disables a subscription at its threshold, or at once where the
 * receiver is gone for good (SB-6), and opens and closes its circuit (SB-7).
 * In the caller's transaction, which ends the deliveries, so that neither is without the other.
 */
@ApplicationScoped
public class DeadStreaks {
    private final DeadStreakRepository rows;
    private final DisabledNotices notices;

    @Inject
    public DeadStreaks(DeadStreakRepository rows, DisabledNotices notices) {
        this.rows = rows;
        this.notices = notices;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    DeadStreaks() {
        this(null, null);
    }

    /** Counts what ended; one streak for each subscription. Costs nothing where there is none. */
    public void count(Collection<Streak> streaks, Instant now) {
        List<Streak> telling = streaks.stream().filter(Streak::tells).toList();
        if (!telling.isEmpty()) {
            rows.count(telling, now).forEach(disabled -> notices.tell(disabled, now));
        }
    }
}
