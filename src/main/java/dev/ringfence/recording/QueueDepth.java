package dev.ringfence.recording;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.config.Settings;
import dev.ringfence.delivery.WaitingRepository;
import dev.ringfence.time.NanoClock;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps a tenant's queue bounded (RC-10): waiting push deliveries and events that are not yet fanned out. The count is an
 * approximation: measured at most once a second, plus what this node recorded since; other nodes' last second is missing.
 */
@ApplicationScoped
class QueueDepth {
    private static final long FRESH_NANOS = Duration.ofSeconds(1).toNanos();
    private static final int RETRY_AFTER_SECONDS = 5;
    private static final int MAX_TENANTS = 10_000;

    private final Settings settings;
    private final QueueDepthRepository repository;
    private final WaitingRepository waiting;
    private final NanoClock clock;
    private final Map<Long, Measured> tenants = new ConcurrentHashMap<>();
    private volatile Events events = new Events(Map.of(), Long.MIN_VALUE);

    @Inject
    QueueDepth(Settings settings, QueueDepthRepository repository, WaitingRepository waiting, NanoClock clock) {
        this.settings = settings;
        this.repository = repository;
        this.waiting = waiting;
        this.clock = clock;
    }

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    QueueDepth() {
        this(null, null, null, null);
    }

    /** A tenant's count as measured, and what was recorded here since. */
    private record Measured(long count, long atNanos, AtomicLong since) {
        long now() {
            return count + since.get();
        }
    }

    private record Events(Map<Long, Long> byTenant, long atNanos) {}

    /**
     * Lets {@code count} more events in.
     *
     * @throws ApiProblem 429 {@code QUEUE_FULL} with {@code Retry-After}
     */
    void refuseBeyondBound(long tenantId, int count) {
        if (measured(tenantId).now() + count > settings.maxWaiting()) {
            throw ApiProblem.tooMany(
                    "QUEUE_FULL", "Too much waits for this tenant to be delivered.", RETRY_AFTER_SECONDS);
        }
    }

    /** Tells that events were recorded, so that the bound holds before the next measurement. */
    void recorded(long tenantId, int count) {
        Measured measured = tenants.get(tenantId);
        if (measured != null) {
            measured.since().addAndGet(count);
        }
    }

    private Measured measured(long tenantId) {
        long now = clock.nanos();
        Measured known = tenants.get(tenantId);
        if (known != null && now - known.atNanos() < FRESH_NANOS) {
            return known;
        }
        long count = waiting.count(tenantId, settings.maxWaiting() + 1)
                + events(now).byTenant().getOrDefault(tenantId, 0L);
        Measured fresh = new Measured(count, now, new AtomicLong());
        if (tenants.size() >= MAX_TENANTS) {
            tenants.values().removeIf(old -> now - old.atNanos() >= FRESH_NANOS);
        }
        tenants.put(tenantId, fresh);
        return fresh;
    }

    private Events events(long now) {
        Events known = events;
        if (known.atNanos() == Long.MIN_VALUE || now - known.atNanos() >= FRESH_NANOS) {
            known = new Events(repository.events(2 * settings.maxWaiting()), now);
            events = known;
        }
        return known;
    }
}
