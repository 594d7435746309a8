package dev.ringfence.reservation;

import dev.ringfence.config.Settings;
import dev.ringfence.reservation.AbandonedRepository.Closed;
import dev.ringfence.subscription.DeadStreaks;
import dev.ringfence.subscription.Streak;
import dev.ringfence.time.DatabaseTime;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The two transactions of {@link Reconciler}. */
@ApplicationScoped
public class AbandonedAttempts {
    private final AbandonedRepository repository;
    private final DeadStreaks streaks;
    private final Settings settings;
    private final Clock clock;

    @Inject
    public AbandonedAttempts(
            AbandonedRepository repository, DeadStreaks streaks, Settings settings, @DatabaseTime Clock clock) {
        this.repository = repository;
        this.streaks = streaks;
        this.settings = settings;
        this.clock = clock;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    AbandonedAttempts() {
        this(null, null, null, null);
    }

    /** Ids, ascending after {@code afterId}, of deliveries whose open attempt outlived its lease. */
    @Transactional(Transactional.TxType.REQUIRES_NEW)
    public List<Long> find(long afterId, int limit) {
        return repository.find(afterId, limit);
    }

    /**
     * Closes those of the attempts that are still open past their lease as {@code UNCERTAIN}: spent, whatever became of the
     * request (AT-5). The delivery goes on, or ends where attempts or age are used up or it must not be sent twice.
     *
     * @return how many were closed
     */
    @Transactional(Transactional.TxType.REQUIRES_NEW)
    public int close(List<Long> ids) {
        Instant now = clock.instant();
        List<Closed> closed =
                repository.close(ids, now.atOffset(ZoneOffset.UTC), settings.maxAge(), settings.maxAttempts());
        Map<UUID, Streak> died = new HashMap<>();
        closed.stream()
                .filter(Closed::died)
                .forEach(one -> died.merge(
                        one.subscriptionId(),
                        Streak.dead(one.subscriptionId(), 1),
                        (before, another) -> before.thenDead(false)));
        streaks.count(died.values(), now);
        return closed.size();
    }
}
