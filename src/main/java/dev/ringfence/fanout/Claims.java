package dev.ringfence.fanout;

import dev.ringfence.config.Settings;
import dev.ringfence.outbox.EventAt;
import dev.ringfence.time.DatabaseTime;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** The first step of fan-out: a committed lease (OB-2). */
@ApplicationScoped
public class Claims {

    private final ClaimRepository rows;
    private final Settings settings;
    private final Clock clock;

    /** Where the next walk over the tenants begins; losing it costs nothing. */
    private final AtomicLong place = new AtomicLong(Turn.START);

    @Inject
    public Claims(ClaimRepository rows, Settings settings, @DatabaseTime Clock clock) {
        this.rows = rows;
        this.settings = settings;
        this.clock = clock;
    }

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    protected Claims() {
        this.rows = null;
        this.settings = null;
        this.clock = null;
    }

    /**
     * Leases what is due, and what others leased and let run out; empty where there is nothing. It goes from tenant to tenant and takes a
     * part of each backlog, so that nobody waits for another's; what then is free goes to whoever has more.
     */
    @Transactional(Transactional.TxType.REQUIRES_NEW)
    public Claim claim() {
        Instant now = clock.instant();
        String holder = settings.node() + "/" + UUID.randomUUID();
        Instant until = now.plus(settings.fanoutLease());
        int batch = settings.fanoutBatch();
        long from = place.get();
        Turn turn = Turn.of(from, batch);
        Claim claim = rows.claim(holder, turn, now, until);
        place.set(claim.due() < batch ? Turn.START : claim.lastTenant());
        boolean all = from == Turn.START && claim.due() < turn.perTenant();
        return claim.due() < batch && !all
                ? claim.and(rows.claim(holder, Turn.rest(batch - claim.due()), now, until))
                : claim;
    }

    /** Leases these, as far as they still wait and nobody else leases them now. */
    @Transactional(Transactional.TxType.REQUIRES_NEW)
    public Claim claim(List<EventAt> events) {
        Instant now = clock.instant();
        String holder = settings.node() + "/" + UUID.randomUUID();
        return rows.claim(holder, events, now, now.plus(settings.fanoutLease()));
    }
}
