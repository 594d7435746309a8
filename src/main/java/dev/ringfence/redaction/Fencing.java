package dev.ringfence.redaction;

import dev.ringfence.config.Settings;
import dev.ringfence.fence.ExclusiveFence;
import dev.ringfence.fence.FenceKey;
import dev.ringfence.fence.FenceLost;
import dev.ringfence.fence.TenantFences;
import dev.ringfence.time.NanoClock;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/**
 * Stages FENCE and DRAIN: takes the tenant's fence alone, keeps it until no open reservation may send any more (RD-5), and ends the
 * epoch under it. Short bounded tries, so that a tenant with slow receivers is neither stalled nor starves this.
 */
@ApplicationScoped
public class Fencing {
    private static final Logger LOG = System.getLogger(Fencing.class.getName());
    private static final Duration WAIT = Duration.ofSeconds(2);

    /** The longest drain and the longest fencing statement. */
    private static final Duration HOLD = Duration.ofSeconds(75);

    /** A reservation is over within seconds of its statement; past this the worker starts afresh. */
    private static final Duration DRAIN = Duration.ofSeconds(10);

    private static final Duration LOOK = Duration.ofMillis(100);

    private final TenantFences fences;
    private final FencingRepository repository;
    private final RedactionSteps steps;
    private final Settings settings;
    private final NanoClock nanos;

    @Inject
    public Fencing(
            TenantFences fences,
            FencingRepository repository,
            RedactionSteps steps,
            Settings settings,
            NanoClock nanos) {
        this.fences = fences;
        this.repository = repository;
        this.steps = steps;
        this.settings = settings;
        this.nanos = nanos;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    Fencing() {
        this(null, null, null, null, null);
    }

    /** One bounded try. */
    Step fence(Claim claim, Redaction redaction) {
        if (!steps.begin(claim, StageName.FENCE)) {
            return new Step.Lost();
        }
        FenceKey key = FenceKey.ofHash(redaction.tenantHash());
        try (ExclusiveFence fence = fences.exclusive(key, WAIT, HOLD).orElse(null)) {
            if (fence == null) {
                return new Step.Later("FENCE_TIMEOUT", pause(redaction));
            }
            return steps.begin(claim, StageName.DRAIN) ? drain(fence, redaction) : new Step.Lost();
        } catch (FenceLost lost) {
            LOG.log(Level.WARNING, "redaction {0}: the fence was lost: {1}", redaction.id(), lost.getMessage());
            return new Step.Later("FENCE_LOST", pause(redaction));
        }
    }

    private Step drain(ExclusiveFence fence, Redaction redaction) {
        UUID epoch = UUID.randomUUID();
        long until = nanos.nanos() + DRAIN.toNanos();
        while (until - nanos.nanos() > 0 && !Thread.currentThread().isInterrupted()) {
            Optional<Instant> open = repository.redact(fence, redaction.id(), epoch, settings.maxSkew());
            if (open.isEmpty()) {
                return new Step.Advanced();
            }
            LockSupport.parkNanos(LOOK.toNanos());
        }
        return new Step.Later("DRAINING", pause(redaction));
    }

    /** A second at first, then longer, at most ten. */
    private static Duration pause(Redaction redaction) {
        int attempts = redaction.next().map(Stage::attempts).orElse(0);
        return Duration.ofSeconds(Math.min(1 + attempts / 5, 10));
    }
}
