package dev.ringfence.recording;

import dev.ringfence.lifecycle.TenantRef;
import dev.ringfence.outbox.Origin;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides one operation and writes what it decided: version first, then the policy, then state and events. Only an accepted
 * operation changes anything.
 */
@ApplicationScoped
class OperationDecision {
    private final AggregatesRepository aggregates;
    private final Policies policies;
    private final QueueDepth queue;
    private final EventWriter writer;

    @Inject
    OperationDecision(AggregatesRepository aggregates, Policies policies, QueueDepth queue, EventWriter writer) {
        this.aggregates = aggregates;
        this.policies = policies;
        this.queue = queue;
        this.writer = writer;
    }

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    OperationDecision() {
        this(null, null, null, null);
    }

    Receipt decide(TenantRef tenant, RequestOrigin request, Origin origin, Operation operation) {
        AggregateKey key = operation.aggregate(origin.tenantId());
        Aggregate current = aggregates.findLocked(key).orElse(null);
        if (version(current) != operation.expectedVersion()) {
            return conflict(current);
        }
        String rejection = policies.rejection(tenant, operation, current);
        if (rejection != null) {
            return Receipt.rejected(current == null ? null : current.version(), rejection);
        }
        queue.refuseBeyondBound(origin.tenantId(), operation.submission().size());
        boolean written = aggregates.write(
                key, operation.expectedVersion(), operation.rawState().text(), origin.recordedAt());
        if (!written) {
            return conflict(aggregates.find(key).orElse(null));
        }
        List<String> eventIds = writer.write(tenant, origin, request, operation.submission()).stream()
                .map(result -> Objects.requireNonNull(result.eventId()))
                .toList();
        return Receipt.accepted(operation.expectedVersion() + 1, eventIds);
    }

    private static long version(@Nullable Aggregate aggregate) {
        return aggregate == null ? 0 : aggregate.version();
    }

    private static Receipt conflict(@Nullable Aggregate current) {
        return current == null
                ? Receipt.conflicted(null, "The aggregate does not exist.")
                : Receipt.conflicted(current.version(), "The aggregate stands at version " + current.version() + ".");
    }
}
