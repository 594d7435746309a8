package dev.ringfence.lifecycle;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.config.Settings;
import dev.ringfence.fence.ExclusiveFence;
import dev.ringfence.fence.FenceLost;
import dev.ringfence.fence.TenantFences;
import dev.ringfence.idempotency.IdempotentAnswer;
import dev.ringfence.security.Roles;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * Enrols tenants: the only way to make one active (LC-2). A tenant that is active already is answered under its shared fence; a new
 * or redacted one is made active under its exclusive fence, after everything that counts was read again (LC-4).
 */
@ApplicationScoped
public class Enrolments {

    /** The transaction under the fence has its own, shorter bounds. */
    private static final Duration HOLD = Duration.ofSeconds(15);

    private static final Set<String> MAY_ENROL = Set.of(Roles.CLIENT, Roles.ADMIN);

    @Inject
    EnrolmentTransactions transactions;

    @Inject
    LifecycleRepository rows;

    @Inject
    EnrolmentRepository enrolments;

    @Inject
    EnrolmentChecks checks;

    @Inject
    TenantFences fences;

    @Inject
    Settings settings;

    /**
     * @throws ApiProblem 403 where the caller's key lost its right meanwhile, 404 without such an application, 409
     *     {@code REDACTION_IN_PROGRESS}, {@code REQUEST_BEFORE_REDACTION}, {@code SESSION_BEFORE_REDACTION},
     *     {@code APP_DISABLED}, 422, 503
     *     {@code FENCE_TIMEOUT}, {@code CLOCK_BOUND_UNAVAILABLE}
     */
    IdempotentAnswer enrol(EnrolmentRequest request) {
        return transactions.active(request).orElseGet(() -> alone(request));
    }

    private IdempotentAnswer alone(EnrolmentRequest request) {
        try (ExclusiveFence fence = fences.exclusive(request.tenant().fenceKey(), settings.fenceTimeout(), HOLD)
                .orElseThrow(Enrolments::fenceTimeout)) {
            return under(fence, request);
        } catch (FenceLost lost) {
            throw fenceTimeout();
        }
    }

    private IdempotentAnswer under(ExclusiveFence fence, EnrolmentRequest request) {
        AppTerms terms = enrolments.terms(fence, request.tenant().appId()).orElseThrow(ApiProblem::notFound);
        if (enrolments.redactionInProgress(fence, request.tenant())) {
            throw redactionInProgress();
        }
        Optional<TenantLifecycle> row = rows.findUnder(fence, request.tenant());
        Instant boundary = row.map(TenantLifecycle::lastRedactedAt).orElse(null);
        checks.pass(request, terms, boundary);
        if (row.isPresent() && row.get().active()) {
            return transactions.current(request, row.get());
        }
        if (!enrolments.authorised(fence, request.caller(), request.tenant().appId(), MAY_ENROL)) {
            throw ApiProblem.forbidden();
        }
        return transactions.mint(request, row.map(TenantLifecycle::epoch).orElse(null));
    }

    static ApiProblem redactionInProgress() {
        return ApiProblem.conflict(
                "REDACTION_IN_PROGRESS", "The tenant is being redacted. Enrol it when that is done.");
    }

    static ApiProblem fenceTimeout() {
        return ApiProblem.unavailable("FENCE_TIMEOUT", "The tenant is busy. Try again.");
    }
}
