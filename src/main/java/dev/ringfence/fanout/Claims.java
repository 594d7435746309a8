package dev.ringfence.fanout;

import dev.ringfence.config.Settings;
import dev.ringfence.time.DatabaseTime;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.time.Clock;
import java.time.Instant;
import java.util.UUID;

/** The first step of fan-out: a committed lease (OB-2). */
@ApplicationScoped
public class Claims {

    private final ClaimRepository rows;
    private final Settings settings;
    private final Clock clock;

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

    /** Leases what is due, and what others leased and let run out; empty where there is nothing. */
    @Transactional(Transactional.TxType.REQUIRES_NEW)
    public Claim claim() {
        Instant now = clock.instant();
        String holder = settings.node() + "/" + UUID.randomUUID();
        return rows.claim(holder, settings.fanoutBatch(), now, now.plus(settings.fanoutLease()));
    }
}
