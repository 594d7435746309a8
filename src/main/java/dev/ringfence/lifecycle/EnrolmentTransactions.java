package dev.ringfence.lifecycle;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.config.Settings;
import dev.ringfence.idempotency.Idempotency;
import dev.ringfence.idempotency.IdempotentAnswer;
import dev.ringfence.idempotency.Outcome;
import dev.ringfence.idempotency.TenantScope;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.time.Clock;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The transactions of enrolment, each one commit. The exclusive fence is held around them, never taken in them. */
@ApplicationScoped
public class EnrolmentTransactions {

    @Inject
    LifecycleRepository rows;

    @Inject
    EnrolmentRepository enrolments;

    @Inject
    EnrolmentChecks checks;

    @Inject
    Idempotency idempotency;

    @Inject
    Settings settings;

    @Inject
    Clock clock;

    /** Answers for a tenant that is active (LC-8), under the shared fence; empty for one that is not. */
    @Transactional
    Optional<IdempotentAnswer> active(EnrolmentRequest request) {
        if (!rows.lockShared(request.tenant(), settings.fenceTimeout())) {
            throw Enrolments.fenceTimeout();
        }
        if (enrolments.redactionInProgress(request.tenant())) {
            throw Enrolments.redactionInProgress();
        }
        return rows.find(request.tenant()).filter(TenantLifecycle::active).map(row -> {
            checks.pass(request, AppTerms.of(row), row.lastRedactedAt());
            return answer(request, row);
        });
    }

    /** Answers for a tenant that another request made active before this one had the fence. */
    @Transactional
    IdempotentAnswer current(EnrolmentRequest request, TenantLifecycle row) {
        return answer(request, row);
    }

    /**
     * Makes the tenant active under a random epoch (LC-4).
     *
     * @param seen the epoch as read under the exclusive fence; null where there was no row
     * @throws ApiProblem 503 {@code FENCE_TIMEOUT} where the row is no longer what was read
     */
    @Transactional
    IdempotentAnswer mint(EnrolmentRequest request, @Nullable UUID seen) {
        TenantLifecycle minted = enrolments
                .mint(request.tenant(), UUID.randomUUID(), clock.instant(), seen)
                .orElseThrow(Enrolments::fenceTimeout);
        return answer(request, minted);
    }

    private IdempotentAnswer answer(EnrolmentRequest request, TenantLifecycle row) {
        return idempotency.execute(
                request.idempotencyKey(),
                request.path(),
                request.caller(),
                request.body(),
                new TenantScope(row.tenantId(), row.epoch()),
                () -> Outcome.of(200, EnrolmentAnswer.of(row)));
    }
}
