package dev.ringfence.recording;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.json.StrictJson;
import dev.ringfence.lifecycle.TenantRef;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Asks the policies of an aggregate type (RC-6). */
@ApplicationScoped
class Policies {
    private final Iterable<AggregatePolicy> policies;

    @Inject
    Policies(@Any Instance<AggregatePolicy> policies) {
        this((Iterable<AggregatePolicy>) policies);
    }

    Policies(Iterable<AggregatePolicy> policies) {
        this.policies = policies;
    }

    /** For the container's proxy. */
    Policies() {
        this(List.of());
    }

    /** The reason of the first policy that rejects the operation; null where all accept it. */
    @Nullable
    String rejection(TenantRef tenant, Operation operation, @Nullable Aggregate current) {
        List<AggregatePolicy> governing = governing(operation.aggregateType());
        if (governing.isEmpty()) {
            return null;
        }
        AggregatePolicy.Proposal proposal = new AggregatePolicy.Proposal(
                tenant.appId(),
                tenant.tenant(),
                operation.aggregateType(),
                operation.aggregateId(),
                current == null ? 0 : current.version(),
                current == null ? null : state(current),
                operation.state(),
                operation.submission().names());
        for (AggregatePolicy policy : governing) {
            if (policy.decide(proposal) instanceof AggregatePolicy.Verdict.Rejected rejected) {
                return rejected.reason();
            }
        }
        return null;
    }

    private List<AggregatePolicy> governing(String aggregateType) {
        return StreamSupport.stream(policies.spliterator(), false)
                .filter(policy -> policy.governs(aggregateType))
                .toList();
    }

    private static JsonNode state(Aggregate aggregate) {
        return StrictJson.parse(aggregate.state().getBytes(StandardCharsets.UTF_8));
    }
}
