package dev.ringfence.operator;

import dev.ringfence.config.Settings;
import dev.ringfence.delivery.WaitingRepository;
import dev.ringfence.lifecycle.LifecycleRepository;
import dev.ringfence.lifecycle.TenantLifecycle;
import dev.ringfence.ordering.OrderedKeys;
import dev.ringfence.subscription.Mode;
import dev.ringfence.subscription.RecipientRepository;
import dev.ringfence.subscription.Subscription;
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

    /** Code of a job that goes on when less is waiting for its tenant. */
    private static final String WAITS = "QUEUE_FULL";

    private static final Duration FENCE_TAKEN = Duration.ofSeconds(1);
    private static final Duration QUEUE_FULL = Duration.ofSeconds(2);

    @Inject
    JobRepository jobs;

    @Inject
    NewCycleRepository deliveries;

    @Inject
    OrderedKeys keys;

    @Inject
    RecipientRepository subscriptions;

    @Inject
    WaitingRepository waiting;

    @Inject
    LifecycleRepository lifecycles;

    @Inject
    Settings settings;

    @Inject
    @DatabaseTime
    Clock clock;

    /** The job whose turn it is; empty where none is due. */
    @Transactional
    Optional<UUID> due() {
        return jobs.due(clock.instant());
    }

    /** What the job's next step would find; empty where it is over. Writes and locks nothing. */
    @Transactional
    Optional<Outlook> look(UUID job) {
        return jobs.find(job).map(replay -> {
            Subscription subscription = subscription(replay);
            return subscription == null
                    ? new Outlook(replay, 0, List.of(), true, false)
                    : look(
                            replay,
                            subscription.tenantId(),
                            subscription.destination().mode() != Mode.PULL);
        });
    }

    private Outlook look(Replay replay, long tenantId, boolean queued) {
        int most = (int) Math.min(CHUNK, share());
        List<NewCycleRepository.Place> next = deliveries.next(tenantId, replay, most);
        long total = replay.status() == JobStatus.QUEUED ? deliveries.count(tenantId, replay) : 0;
        boolean full = queued && !next.isEmpty() && waiting.moving(tenantId, share()) + next.size() > share();
        return new Outlook(replay, total, next, next.size() < most, full);
    }

    /** What replays may fill of a tenant's queue, so that its applications can go on recording. */
    private long share() {
        return Math.max(1, settings.maxWaiting() / 2);
    }

    private @Nullable Subscription subscription(Replay replay) {
        return subscriptions.byIds(List.of(replay.subscriptionId())).get(replay.subscriptionId());
    }

    /** Does one step of the job; nothing where it has moved on since that look, or another node is at it. */
    @Transactional
    void step(Outlook outlook) {
        Optional<Replay> locked = jobs.lock(outlook.replay().jobId());
        if (locked.isPresent() && locked.get().equals(outlook.replay())) {
            step(outlook, clock.instant());
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

    private void step(Outlook outlook, Instant now) {
        Replay replay = outlook.replay();
        Subscription subscription = subscription(replay);
        if (subscription == null) {
            jobs.finish(replay.jobId(), JobStatus.FAILED, OutcomeCode.SUBSCRIPTION_GONE.name(), now);
            return;
        }
        Optional<TenantLifecycle> before = lifecycles.find(subscription.tenantId());
        if (before.isPresent() && !lifecycles.tryShared(before.get().fenceKey())) {
            jobs.postpone(replay.jobId(), null, now.plus(FENCE_TAKEN));
            return;
        }
        OutcomeCode obstacle = obstacle(
                replay, subscription, lifecycles.find(subscription.tenantId()).orElse(null));
        if (obstacle == null) {
            take(outlook, now);
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

    private void take(Outlook outlook, Instant now) {
        Replay replay = outlook.replay();
        if (replay.status() == JobStatus.QUEUED) {
            jobs.begin(replay.jobId(), outlook.total(), now);
        }
        if (outlook.full()) {
            jobs.postpone(replay.jobId(), WAITS, now.plus(QUEUE_FULL));
            return;
        }
        List<NewCycleRepository.Place> next = outlook.next();
        if (!next.isEmpty()) {
            NewCycleRepository.Opened taken = deliveries.open(next, replay.states(), replay.epoch(), now);
            keys.moved(taken.queues());
            jobs.advance(replay.jobId(), taken.count(), next.get(next.size() - 1), now);
        }
        if (outlook.last()) {
            jobs.finish(replay.jobId(), JobStatus.DONE, null, now);
        }
    }
}
