package dev.ringfence.redaction;

import dev.ringfence.erasure.ErasureRepository;
import dev.ringfence.erasure.TenantEraser;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The transactions of a redaction, each committed when its method returns. Each proves that the redaction is still this worker's; where
 * it is not, that is an answer and nothing was changed.
 */
@ApplicationScoped
public class RedactionSteps {
    /** Rows of one transaction of the erasure. */
    static final int CHUNK = 1_000;

    private final RedactionRepository redactions;
    private final StepRepository steps;
    private final ErasureRepository erasure;
    private final List<TenantEraser> erasers;

    @Inject
    public RedactionSteps(
            RedactionRepository redactions,
            StepRepository steps,
            ErasureRepository erasure,
            Instance<TenantEraser> erasers) {
        this(redactions, steps, erasure, erasers.stream().toList());
    }

    RedactionSteps(
            RedactionRepository redactions,
            StepRepository steps,
            ErasureRepository erasure,
            List<TenantEraser> erasers) {
        this.redactions = redactions;
        this.steps = steps;
        this.erasure = erasure;
        this.erasers = erasers.stream()
                .sorted(Comparator.comparingInt(TenantEraser::order))
                .toList();
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    RedactionSteps() {
        this(null, null, null, List.of());
    }

    /** Takes a redaction that is due; empty where none is. */
    @Transactional(TxType.REQUIRES_NEW)
    public Optional<Claim> claim(String token) {
        return steps.claim(token).map(id -> new Claim(id, token));
    }

    /** The redaction as it is now; empty where it is no longer this worker's. */
    @Transactional(TxType.REQUIRES_NEW)
    public Optional<Redaction> read(Claim claim) {
        return steps.keep(claim) ? redactions.find(claim.redaction()) : Optional.empty();
    }

    /** Counts an attempt of the stage; false where it is no longer this worker's. */
    @Transactional(TxType.REQUIRES_NEW)
    public boolean begin(Claim claim, StageName stage) {
        return steps.keep(claim) && steps.begin(claim, stage);
    }

    /** Ends the stage; false where it is no longer this worker's. */
    @Transactional(TxType.REQUIRES_NEW)
    public boolean end(Claim claim, StageName stage, StageStatus status, @Nullable String code) {
        if (!steps.keep(claim)) {
            return false;
        }
        steps.move(claim, stage, status, code);
        if (stage == StageName.REMOTE_ERASE && status.over()) {
            steps.forgetName(claim);
        }
        if (status == StageStatus.FAILED) {
            steps.pause(claim, RedactionStatus.FAILED, Duration.ZERO);
        }
        return true;
    }

    /** Lets go of the redaction until the pause is over. */
    @Transactional(TxType.REQUIRES_NEW)
    public void pause(Claim claim, StageName stage, @Nullable String code, Duration pause) {
        if (steps.keep(claim)) {
            if (code != null) {
                steps.note(claim, stage, code);
            }
            steps.pause(claim, code == null ? RedactionStatus.RUNNING : RedactionStatus.WAITING, pause);
        }
    }

    /** The tenant's narrow key, where it has a lifecycle row already. */
    @Transactional(TxType.REQUIRES_NEW)
    public Optional<Long> tenantId(Redaction redaction) {
        return redactions.tenantId(redaction.appId(), redaction.tenantHash());
    }

    /**
     * Erases one chunk of the first kind that has any rows left.
     *
     * @return how many rows went, zero where none is left of any kind; empty where it is no longer this worker's
     */
    @Transactional(TxType.REQUIRES_NEW)
    public OptionalInt erase(Claim claim, long tenantId) {
        if (!steps.keep(claim)) {
            return OptionalInt.empty();
        }
        for (TenantEraser eraser : erasers) {
            int erased = eraser.erase(tenantId, CHUNK);
            if (erased > 0) {
                return OptionalInt.of(erased);
            }
        }
        return OptionalInt.of(0);
    }

    /**
     * Ends the redaction where nothing is left of the tenant in any table; else has the erasure done again (RD-1 g).
     *
     * @return whether nothing was left; empty where it is no longer this worker's
     */
    @Transactional(TxType.REQUIRES_NEW)
    public Optional<Boolean> verify(Claim claim, long tenantId) {
        if (!steps.keep(claim)) {
            return Optional.empty();
        }
        boolean clean = erasure.tablesLeft(tenantId).isEmpty()
                && erasers.stream().allMatch(eraser -> eraser.left(tenantId) == 0);
        if (!clean) {
            steps.move(claim, StageName.VERIFY, StageStatus.PENDING, "ROWS_LEFT");
            steps.move(claim, StageName.ERASE, StageStatus.PENDING, "ROWS_LEFT");
            return Optional.of(false);
        }
        steps.move(claim, StageName.VERIFY, StageStatus.DONE, null);
        return Optional.of(steps.complete(claim));
    }
}
