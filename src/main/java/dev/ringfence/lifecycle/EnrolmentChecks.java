package dev.ringfence.lifecycle;

import dev.ringfence.api.ApiProblem;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Which requests may enrol a tenant, as far as time is concerned: those that began, with their session, after the boundary. */
@ApplicationScoped
public class EnrolmentChecks {

    private RequestStarts starts;

    /** For the container's proxy. */
    @SuppressWarnings("NullAway.Init")
    protected EnrolmentChecks() {}

    @Inject
    public EnrolmentChecks(RequestStarts starts) {
        this.starts = starts;
    }

    /**
     * @param boundary when the tenant was last redacted; {@code null} if never
     * @throws ApiProblem 409 {@code APP_DISABLED}, {@code REQUEST_BEFORE_REDACTION}, {@code SESSION_BEFORE_REDACTION}; 422 and
     *     503 as {@link RequestStarts#effective}
     */
    void pass(EnrolmentRequest request, AppTerms terms, @Nullable Instant boundary) {
        if (!terms.enabled()) {
            throw ApiProblem.conflict("APP_DISABLED", "The application is disabled.");
        }
        EffectiveStart start = starts.effective(request.receivedAt(), request.start(), terms.minSkewBound());
        if (!start.isAfter(boundary)) {
            TenantVerdict.Refused old = TenantChecks.REQUEST_BEFORE_REDACTION;
            throw ApiProblem.conflict(old.code(), old.detail());
        }
        EffectiveStart session =
                starts.session(request.receivedAt(), request.authenticatedAt(), request.start(), terms.minSkewBound());
        if (!session.isAfter(boundary)) {
            throw ApiProblem.conflict(
                    "SESSION_BEFORE_REDACTION",
                    "The session may have been created before the tenant was last redacted. Sign in again.");
        }
    }
}
