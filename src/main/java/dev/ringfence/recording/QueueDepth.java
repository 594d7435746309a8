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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a tenant's queue bounded (RC-10): waiting push deliveries and events that are not yet fanned out. The count is an
 * approximation: what was measured a second ago, longer where measuring takes long, plus what this node recorded since; what other
 * nodes did meanwhile is missing, and so may be what was recorded between the last count of all events and the tenant's. One request measures while the others go by the figure before, so a backlog that takes long to
 * count costs a part of one thread, not all requests.
 */
@ApplicationScoped
class QueueDepth {
    private static final long FRESH_NANOS = Duration.ofSeconds(1).toNanos();

    /** A measurement holds for so many times what it took. */
    private static final int WORTH = 20;

    private static final int RETRY_AFTER_SECONDS = 5;
    private static final int MAX_TENANTS = 10_000;

    private final Settings settings;
    private final QueueDepthRepository repository;
    private final WaitingRepository waiting;
    private final NanoClock clock;
    private final Map<Long, Measured> tenants = new ConcurrentHashMap<>();
    private volatile @Nullable Events events;

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
    private record Measured(long count, Freshness freshness, AtomicLong since) {
        long now() {
            return count + since.get();
        }
    }

    private record Events(Map<Long, Long> byTenant, Freshness freshness) {}

    /**
     * Until when a measurement holds, and whose turn it is to measure after that.
     *
     * @param taken true while somebody measures
     */
    private record Freshness(long until, AtomicBoolean taken) {

        static Freshness of(long began, long ended) {
            return new Freshness(ended + Math.max(FRESH_NANOS, WORTH * (ended - began)), new AtomicBoolean());
        }

        boolean over(long now) {
            return now - until >= 0;
        }

        /** True for one caller once it is over, until that one gives up. */
        boolean mine(long now) {
            return over(now) && taken.compareAndSet(false, true);
        }

        void giveUp() {
            taken.set(false);
        }
    }

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
        Measured known = tenants.get(tenantId);
        if (known == null) {
            return measure(tenantId);
        }
        if (!known.freshness().mine(clock.nanos())) {
            return known;
        }
        try {
            return measure(tenantId);
        } catch (RuntimeException | Error failed) {
            known.freshness().giveUp();
            throw failed;
        }
    }

    private Measured measure(long tenantId) {
        long began = clock.nanos();
        long count = waiting.count(tenantId, settings.maxWaiting() + 1)
                + events().byTenant().getOrDefault(tenantId, 0L);
        long ended = clock.nanos();
        Measured fresh = new Measured(count, Freshness.of(began, ended), new AtomicLong());
        if (tenants.size() >= MAX_TENANTS) {
            tenants.values().removeIf(old -> old.freshness().over(ended));
        }
        tenants.put(tenantId, fresh);
        return fresh;
    }

    private Events events() {
        Events known = events;
        if (known == null) {
            return measureEvents();
        }
        if (!known.freshness().mine(clock.nanos())) {
            return known;
        }
        try {
            return measureEvents();
        } catch (RuntimeException | Error failed) {
            known.freshness().giveUp();
            throw failed;
        }
    }

    private Events measureEvents() {
        long began = clock.nanos();
        Map<Long, Long> counts = repository.events(2 * settings.maxWaiting());
        Events fresh = new Events(counts, Freshness.of(began, clock.nanos()));
        events = fresh;
        return fresh;
    }
}
