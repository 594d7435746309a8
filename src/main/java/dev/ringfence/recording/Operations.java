package dev.ringfence.recording;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.idempotency.Idempotency;
import dev.ringfence.idempotency.IdempotentAnswer;
import dev.ringfence.idempotency.TenantScope;
import dev.ringfence.json.FieldError;
import dev.ringfence.lifecycle.TenantVerdict;
import dev.ringfence.time.DatabaseTime;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Runs operations: the aggregate's new state, its events and the receipt commit in one transaction or not at all (RC-1,
 * RC-6).
 */
@ApplicationScoped
class Operations {
    private final Admission admission;
    private final Idempotency idempotency;
    private final OperationReceiptsRepository receipts;
    private final OperationDecision decision;
    private final Clock clock;

    @Inject
    Operations(
            Admission admission,
            Idempotency idempotency,
            OperationReceiptsRepository receipts,
            OperationDecision decision,
            @DatabaseTime Clock clock) {
        this.admission = admission;
        this.idempotency = idempotency;
        this.receipts = receipts;
        this.decision = decision;
        this.clock = clock;
    }

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    Operations() {
        this(null, null, null, null, null);
    }

    /**
     * Runs an operation, or answers with the receipt of its first run.
     *
     * @throws ApiProblem as {@link Admission#admit}; 422 {@code IDEMPOTENCY_KEY_REUSED} where the operation id stands for
     *     another operation, {@code OCCURRENCE_KEY_REUSED}; 429 {@code QUEUE_FULL}
     */
    @Transactional
    IdempotentAnswer run(TenantRequest request, RequestOrigin origin, PostedBody posted, Operation operation) {
        TenantVerdict.Current tenant = admission.admit(request);
        TenantScope scope = new TenantScope(tenant.row().tenantId(), request.epoch());
        return idempotency.execute(
                posted.key(),
                posted.path(),
                posted.caller(),
                posted.bytes(),
                scope,
                () -> once(request, tenant, origin, operation).toOutcome());
    }

    private ReceiptAnswer once(
            TenantRequest request, TenantVerdict.Current tenant, RequestOrigin origin, Operation operation) {
        long tenantId = tenant.row().tenantId();
        Instant at = clock.instant();
        boolean first = receipts.claim(
                operation.aggregate(tenantId),
                operation.clientOperationId(),
                request.epoch(),
                operation.contentSha256(),
                at);
        if (!first) {
            return ReceiptAnswer.replayed(retained(tenant, operation));
        }
        Receipt receipt = decision.decide(request.tenant(), origin, origin.of(tenant, at), operation);
        receipts.complete(tenantId, operation.clientOperationId(), receipt);
        return ReceiptAnswer.first(receipt);
    }

    private Receipt retained(TenantVerdict.Current tenant, Operation operation) {
        OperationReceiptsRepository.Retained retained = receipts.find(
                        tenant.row().tenantId(), operation.clientOperationId())
                .orElseThrow(() -> ApiProblem.unavailable("UNAVAILABLE", "The operation's receipt is being erased."));
        if (!retained.epoch().equals(tenant.row().epoch())) {
            throw ApiProblem.conflict("STALE_EPOCH", "The receipt of this operation belongs to another epoch.");
        }
        if (!MessageDigest.isEqual(retained.bodySha256(), operation.contentSha256())) {
            throw new ApiProblem(
                    422,
                    "IDEMPOTENCY_KEY_REUSED",
                    "This operation id stands for another operation already.",
                    List.of(new FieldError(
                            "/clientOperationId", "IDEMPOTENCY_KEY_REUSED", "used for another operation")),
                    Map.of());
        }
        return retained.receipt();
    }
}
