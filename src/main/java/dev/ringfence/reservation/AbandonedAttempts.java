package dev.ringfence.reservation;

import dev.ringfence.config.Settings;
import dev.ringfence.ordering.OrderedKeys;
import dev.ringfence.reservation.AbandonedRepository.Closed;
import dev.ringfence.time.DatabaseTime;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.List;

/** The two transactions of {@link Reconciler}. */
@ApplicationScoped
public class AbandonedAttempts {
    private final AbandonedRepository repository;
    private final OrderedKeys keys;
    private final Settings settings;
    private final Clock clock;

    @Inject
    public AbandonedAttempts(
            AbandonedRepository repository, OrderedKeys keys, Settings settings, @DatabaseTime Clock clock) {
        this.repository = repository;
        this.keys = keys;
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
     * That counts against no receiver: a node of ours was to blame (SB-6).
     *
     * @return those that were closed
     */
    @Transactional(Transactional.TxType.REQUIRES_NEW)
    public List<Closed> close(List<Long> ids) {
        List<Closed> closed = repository.close(
                ids, clock.instant().atOffset(ZoneOffset.UTC), settings.maxAge(), settings.maxAttempts());
        keys.moved(closed.stream().flatMap(one -> one.freed().stream()).toList());
        return closed;
    }
}
