package dev.ringfence.redaction;

import dev.ringfence.config.Settings;
import dev.ringfence.time.NanoClock;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;

/**
 * Carries redactions through their stages. Any node may do so, whether it delivers or not; several may at once, for the rows say what is
 * next and whose turn it is. Whatever fails is tried again later, by whoever comes.
 */
@ApplicationScoped
public class RedactionWork {
    private static final Logger LOG = System.getLogger(RedactionWork.class.getName());

    /** After so long another redaction that is due has its turn. */
    private static final Duration TURN = Duration.ofSeconds(5);

    private final RedactionSteps steps;
    private final Fencing fencing;
    private final RemoteErasure remote;
    private final Event<TenantCancelled> cancelled;
    private final Settings settings;
    private final NanoClock nanos;

    @Inject
    public RedactionWork(
            RedactionSteps steps,
            Fencing fencing,
            RemoteErasure remote,
            Event<TenantCancelled> cancelled,
            Settings settings,
            NanoClock nanos) {
        this.steps = steps;
        this.fencing = fencing;
        this.remote = remote;
        this.cancelled = cancelled;
        this.settings = settings;
        this.nanos = nanos;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    RedactionWork() {
        this(null, null, null, null, null, null);
    }

    /**
     * Goes on with one redaction that is due, as far as it goes in a few seconds. Call it without a transaction.
     *
     * @return whether there was one
     */
    public boolean runOnce() {
        Optional<Claim> claim = steps.claim(settings.node() + "/" + UUID.randomUUID());
        claim.ifPresent(this::work);
        return claim.isPresent();
    }

    private void work(Claim claim) {
        long until = nanos.nanos() + TURN.toNanos();
        StageName at = StageName.CANCEL;
        int attempts = 0;
        try {
            while (true) {
                Optional<Redaction> redaction = steps.read(claim);
                Optional<Stage> next = redaction.flatMap(Redaction::next);
                if (redaction.isEmpty() || next.isEmpty()) {
                    return;
                }
                at = next.get().name();
                attempts = next.get().attempts() + 1;
                Step step = step(claim, redaction.get(), at);
                if (step instanceof Step.Later later) {
                    steps.pause(claim, at, later.code(), later.pause());
                }
                if (!(step instanceof Step.Advanced)) {
                    return;
                }
                if (nanos.nanos() - until > 0) {
                    steps.pause(claim, at, null, Duration.ZERO);
                    return;
                }
            }
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "redaction {0}: stage {1} is tried again: {2}", claim.redaction(), at, e.toString());
            steps.pause(claim, at, "ERROR", Pauses.after(attempts));
        }
    }

    private Step step(Claim claim, Redaction redaction, StageName stage) {
        return switch (stage) {
            case CANCEL -> cancel(claim, redaction);
            case FENCE, DRAIN -> fence(claim, redaction);
            case ERASE -> erase(claim, redaction.fencedTenant());
            case REMOTE_ERASE -> remote.ask(claim, redaction);
            case VERIFY -> verify(claim, redaction.fencedTenant());
        };
    }

    private Step cancel(Claim claim, Redaction redaction) {
        if (!steps.begin(claim, StageName.CANCEL)) {
            return new Step.Lost();
        }
        hint(redaction);
        return end(claim, StageName.CANCEL);
    }

    /** Each try says it again: what was in flight the last time may have been followed by more. */
    private Step fence(Claim claim, Redaction redaction) {
        hint(redaction);
        return fencing.fence(claim, redaction);
    }

    private void hint(Redaction redaction) {
        try {
            steps.tenantId(redaction).ifPresent(id -> cancelled.fire(new TenantCancelled(id)));
        } catch (RuntimeException onlyAHint) {
            LOG.log(Level.WARNING, "redaction {0}: cancelling failed: {1}", redaction.id(), onlyAHint.toString());
        }
    }

    private Step erase(Claim claim, long tenantId) {
        if (!steps.begin(claim, StageName.ERASE)) {
            return new Step.Lost();
        }
        long until = nanos.nanos() + TURN.toNanos();
        OptionalInt erased = steps.erase(claim, tenantId);
        while (erased.isPresent() && erased.getAsInt() > 0) {
            if (nanos.nanos() - until > 0 || Thread.currentThread().isInterrupted()) {
                return new Step.Later(null, Duration.ZERO);
            }
            erased = steps.erase(claim, tenantId);
        }
        return erased.isPresent() ? end(claim, StageName.ERASE) : new Step.Lost();
    }

    private Step verify(Claim claim, long tenantId) {
        if (!steps.begin(claim, StageName.VERIFY)) {
            return new Step.Lost();
        }
        Optional<Boolean> clean = steps.verify(claim, tenantId);
        if (clean.isEmpty()) {
            return new Step.Lost();
        }
        if (clean.get()) {
            LOG.log(Level.INFO, "redaction {0} is done", claim.redaction());
            return new Step.Ended();
        }
        return new Step.Later("ROWS_LEFT", Duration.ofSeconds(1));
    }

    private Step end(Claim claim, StageName stage) {
        return steps.end(claim, stage, StageStatus.DONE, null) ? new Step.Advanced() : new Step.Lost();
    }
}
