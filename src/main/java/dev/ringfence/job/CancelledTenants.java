package dev.ringfence.job;

import dev.ringfence.redaction.TenantCancelled;
import dev.ringfence.time.NanoClock;
import dev.ringfence.transport.HttpTransport;
import dev.ringfence.transport.SendResult;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Drops what this node has of tenants that are being redacted (RD-1 a): what waits in memory is forgotten, what is in flight is ended,
 * and for a while nothing of them takes off, so that the redaction gets its fence soon. A hint and no more: the fence decides.
 */
@ApplicationScoped
public class CancelledTenants {
    /** A redaction says it again with each try for the fence. */
    private static final Duration REFUSED = Duration.ofSeconds(10);

    private static final int MOST = 10_000;

    private final Slots slots;
    private final CandidateFeed feed;
    private final HttpTransport transport;
    private final NanoClock nanos;
    private final Map<Long, Long> refusedUntil = new ConcurrentHashMap<>();
    private final Map<Long, Set<CompletableFuture<SendResult>>> inFlight = new ConcurrentHashMap<>();

    @Inject
    public CancelledTenants(Slots slots, CandidateFeed feed, HttpTransport transport, NanoClock nanos) {
        this.slots = slots;
        this.feed = feed;
        this.transport = transport;
        this.nanos = nanos;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    CancelledTenants() {
        this(null, null, null, null);
    }

    void cancelled(@Observes TenantCancelled tenant) {
        cancel(List.of(tenant.tenantId()));
    }

    /** Drops what is here of these tenants. Cheap for tenants that have nothing here. */
    public void cancel(Collection<Long> tenantIds) {
        long now = nanos.nanos();
        refusedUntil.values().removeIf(until -> until - now <= 0);
        for (Long tenantId : tenantIds) {
            if (refusedUntil.size() < MOST) {
                refusedUntil.put(tenantId, now + REFUSED.toNanos());
            }
        }
        slots.cool(tenantIds, REFUSED);
        feed.forget(tenantIds);
        tenantIds.forEach(this::end);
    }

    /** Whether nothing of the tenant may take off at the moment. */
    boolean refuses(long tenantId) {
        Long until = refusedUntil.get(tenantId);
        return until != null && until - nanos.nanos() > 0;
    }

    /** Remembers a request of the tenant until it is over. */
    void sent(long tenantId, CompletableFuture<SendResult> request) {
        if (request.isDone()) {
            return;
        }
        inFlight.compute(tenantId, (id, requests) -> {
            Set<CompletableFuture<SendResult>> all = requests == null ? ConcurrentHashMap.newKeySet() : requests;
            all.add(request);
            return all;
        });
        var unused = request.whenComplete((result, error) -> over(tenantId, request));
        if (refuses(tenantId)) {
            transport.cancel(request);
        }
    }

    int inFlight() {
        return inFlight.values().stream().mapToInt(Set::size).sum();
    }

    private void over(long tenantId, CompletableFuture<SendResult> request) {
        inFlight.computeIfPresent(tenantId, (id, requests) -> {
            requests.remove(request);
            return requests.isEmpty() ? null : requests;
        });
    }

    private void end(long tenantId) {
        List.copyOf(inFlight.getOrDefault(tenantId, Set.of())).forEach(transport::cancel);
    }
}
