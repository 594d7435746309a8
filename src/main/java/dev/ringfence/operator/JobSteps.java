package dev.ringfence.operator;

import dev.ringfence.lifecycle.LifecycleRepository;
import dev.ringfence.lifecycle.TenantLifecycle;
import dev.ringfence.subscription.Subscription;
import dev.ringfence.subscription.SubscriptionRepository;
import dev.ringfence.subscription.SubscriptionStatus;
import dev.ringfence.time.DatabaseTime;
import dev.ringfence.transport.OutcomeCode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a replay, each one transaction that holds the job's row and the tenant's fence: deliveries get their new cycle in the very
 * commit that moves the job's place, so a node that is killed loses nothing and repeats nothing, and any node may go on.
 */
@ApplicationScoped
class JobSteps {
    /** Deliveries that one step looks at. */
    static final int CHUNK = 200;

    /** Steps that may fail in a row. */
    static final int MOST_FAILURES = 10;

    /** How long a job can be looked up after it is over (RT-1). */
    static final Duration KEPT = Duration.ofDays(30);

    /** Jobs that one purge deletes. */
    static final int PURGE_CHUNK = 500;

    private static final Duration FENCE_TAKEN = Duration.ofSeconds(1);

    @Inject
    JobRepository jobs;

    @Inject
    NewCycleRepository deliveries;

    @Inject
    SubscriptionRepository subscriptions;

    @Inject
    LifecycleRepository lifecycles;

    @Inject
    @DatabaseTime
    Clock clock;

    /** The job whose turn it is; empty where none is due. */
    @Transactional
    Optional<UUID> due() {
        return jobs.due(clock.instant());
    }

    /** Does one step of the job; nothing where it is over, or another node is at it. */
    @Transactional
    void step(UUID job) {
        Optional<Replay> locked = jobs.lock(job);
        if (locked.isPresent()) {
            step(locked.get(), clock.instant());
        }
    }

    /** Notes that a step of the job was rolled back. */
    @Transactional
    void failed(UUID job) {
        jobs.failed(job, MOST_FAILURES, clock.instant());
    }

    /** Deletes a chunk of the jobs that have been over for long; false where none is left. */
    @Transactional
    boolean purge() {
        return jobs.purge(clock.instant().minus(KEPT), PURGE_CHUNK) == PURGE_CHUNK;
    }

    private void step(Replay replay, Instant now) {
        Subscription subscription =
                subscriptions.byIds(List.of(replay.subscriptionId())).get(replay.subscriptionId());
        if (subscription == null) {
            jobs.finish(replay.jobId(), JobStatus.FAILED, OutcomeCode.SUBSCRIPTION_GONE.name(), now);
            return;
        }
        Optional<TenantLifecycle> before = lifecycles.find(subscription.tenantId());
        if (before.isPresent() && !lifecycles.tryShared(before.get().fenceKey())) {
            jobs.postpone(replay.jobId(), now.plus(FENCE_TAKEN));
            return;
        }
        OutcomeCode obstacle = obstacle(
                replay, subscription, lifecycles.find(subscription.tenantId()).orElse(null));
        if (obstacle == null) {
            take(replay, subscription.tenantId(), now);
        } else {
            jobs.finish(replay.jobId(), JobStatus.FAILED, obstacle.name(), now);
        }
    }

    private static @Nullable OutcomeCode obstacle(
            Replay replay, Subscription subscription, @Nullable TenantLifecycle tenant) {
        if (tenant == null || !tenant.active() || !tenant.epoch().equals(replay.epoch())) {
            return OutcomeCode.REDACTED;
        }
        if (!tenant.appEnabled()) {
            return OutcomeCode.APP_DISABLED;
        }
        return subscription.status() == SubscriptionStatus.DISABLED ? OutcomeCode.SUBSCRIPTION_DISABLED : null;
    }

    private void take(Replay replay, long tenantId, Instant now) {
        if (replay.status() == JobStatus.QUEUED) {
            jobs.begin(replay.jobId(), deliveries.count(tenantId, replay), now);
        }
        List<NewCycleRepository.Place> next = deliveries.next(tenantId, replay, CHUNK);
        if (!next.isEmpty()) {
            int taken = deliveries.open(next, replay.states(), replay.epoch(), now);
            jobs.advance(replay.jobId(), taken, next.get(next.size() - 1), now);
        }
        if (next.size() < CHUNK) {
            jobs.finish(replay.jobId(), JobStatus.DONE, null, now);
        }
    }
}
