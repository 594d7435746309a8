package dev.ringfence.wake;

import dev.ringfence.background.ServerContexts;
import dev.ringfence.config.Settings;
import dev.ringfence.feed.FeedManagement;
import dev.ringfence.feed.FeedPolls;
import dev.ringfence.feed.FeedSweep;
import dev.ringfence.feed.TransactionWatch;
import dev.ringfence.fence.HeldFences;
import dev.ringfence.fence.SessionProbe;
import dev.ringfence.job.DeliveryJob;
import dev.ringfence.job.DeliveryManagement;
import dev.ringfence.job.DeliverySwitch;
import dev.ringfence.job.Endpoints;
import dev.ringfence.job.Heartbeat;
import dev.ringfence.operator.JobWork;
import dev.ringfence.ordering.OrderManagement;
import dev.ringfence.receipt.RevokedConsent;
import dev.ringfence.reservation.Reconciler;
import dev.ringfence.retention.Retention;
import dev.ringfence.schema.PartitionsRepository;
import dev.ringfence.schema.SchemaMigration;
import dev.ringfence.time.SkewMonitor;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.ejb.ConcurrencyManagement;
import jakarta.ejb.ConcurrencyManagementType;
import jakarta.ejb.DependsOn;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.ejb.Timeout;
import jakarta.ejb.Timer;
import jakarta.ejb.TimerConfig;
import jakarta.ejb.TimerService;
import jakarta.ejb.TransactionManagement;
import jakarta.ejb.TransactionManagementType;
import jakarta.inject.Inject;
import java.io.Serializable;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The node's clockwork. Its timers are not persistent, so a redeployment leaves none behind (D26), and none of them waits for another:
 * a beat that finds its predecessor still at work is left out. At the end it lets land what is under way, on threads that have to be
 * there until then.
 */
@Singleton
@Startup
@DependsOn("Background")
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionManagement(TransactionManagementType.BEAN)
public class DeliveryTimers {
    private static final Logger LOG = System.getLogger(DeliveryTimers.class.getName());
    private static final Duration LANDING = Duration.ofSeconds(6);
    private static final long SOON = 200;

    /** What is done, and how often, in milliseconds. */
    enum Beat {
        SKEW(2_000),
        PARTITIONS(3_600_000),
        OLD_JOBS(3_600_000),
        RETENTION(5_000),
        FENCES(1_000),
        REDACT(1_000),
        JOBS(1_000),
        FEEDS(250),
        TRANSACTIONS(5_000),
        UNFETCHED(10_000),
        LISTEN(1_000),
        HEARTBEAT(1_000),
        RECONCILE(1_000),
        CONSENT(1_000),
        PUBLISH(500),
        DELIVER(500);

        private final long period;

        Beat(long period) {
            this.period = period;
        }
    }

    @Resource
    private TimerService timers;

    @Inject
    private ServerContexts contexts;

    @Inject
    private Settings settings;

    @Inject
    private SchemaMigration schema;

    @Inject
    private SkewMonitor skew;

    @Inject
    private HeldFences fences;

    @Inject
    private Endpoints endpoints;

    @Inject
    private SessionProbe sessions;

    @Inject
    private DeliverySwitch delivery;

    @Inject
    private Heartbeat heartbeat;

    @Inject
    private Reconciler reconciler;

    @Inject
    private RevokedConsent consent;

    @Inject
    private FanoutRunner fanout;

    @Inject
    private OrderRunner order;

    @Inject
    private OrderManagement ordering;

    @Inject
    private ErasureRunner erasure;

    @Inject
    private JobWork jobs;

    @Inject
    private Retention retention;

    @Inject
    private FeedPolls polls;

    @Inject
    private FeedRunner readers;

    @Inject
    private FeedSweep unfetched;

    @Inject
    private FeedManagement feeds;

    @Inject
    private TransactionWatch transactions;

    @Inject
    private DeliveryJob job;

    @Inject
    private DeliveryManagement management;

    @Inject
    private PartitionsRepository partitions;

    @Inject
    private Listener listener;

    @Inject
    private Clock clock;

    /** Remembered, because a server that is going down may have stopped the store of timers that would be asked for them. */
    private final List<Timer> beating = new ArrayList<>();

    private final Map<Beat, AtomicBoolean> busy = new EnumMap<>(Beat.class);

    @PostConstruct
    void start() {
        schema.ensureCurrent();
        sessions.look();
        management.show();
        feeds.show();
        ordering.show();
        for (Beat beat : Beat.values()) {
            busy.put(beat, new AtomicBoolean());
            long period = beat == Beat.PUBLISH || beat == Beat.DELIVER
                    ? settings.poll().toMillis()
                    : beat.period;
            beating.add(timers.createIntervalTimer(0, period, new TimerConfig(beat, false)));
        }
    }

    @Timeout
    void beat(Timer timer) {
        Serializable info = timer.getInfo();
        if (info instanceof Beat beat) {
            AtomicBoolean atWork = busy.get(beat);
            if (!contexts.ready()) {
                // The application is still starting. The next of these may be an hour away, so this one is only put
                // off.
                timers.createSingleActionTimer(SOON, new TimerConfig(beat, false));
            } else if (atWork != null && atWork.compareAndSet(false, true)) {
                try {
                    contexts.run(() -> act(beat));
                } catch (RuntimeException | Error e) {
                    LOG.log(Level.WARNING, "timer {0}: this beat failed, the next follows: {1}", beat, e.toString());
                } finally {
                    atWork.set(false);
                }
            }
        }
    }

    private void act(Beat beat) {
        if (beat == Beat.SKEW) {
            skew.measure();
        } else if (beat == Beat.PARTITIONS) {
            partitions.ensure(clock.instant(), PartitionsRepository.WEEKS_AHEAD);
        } else if (beat == Beat.FENCES) {
            endpoints.forget();
            fences.overdue();
        } else if (beat == Beat.REDACT) {
            erasure.signal();
        } else if (beat == Beat.JOBS) {
            jobs.run();
        } else if (beat == Beat.OLD_JOBS) {
            jobs.purge();
        } else if (beat == Beat.RETENTION) {
            retention.look();
        } else if (beat == Beat.FEEDS) {
            readers.look();
        } else if (beat == Beat.TRANSACTIONS) {
            transactions.look();
        } else if (beat == Beat.UNFETCHED) {
            unfetched.sweep();
        } else if (delivery.on()) {
            switch (beat) {
                case LISTEN -> listener.ensureListening();
                case HEARTBEAT -> heartbeat.beat();
                case RECONCILE -> reconciler.reconcile();
                case CONSENT -> consent.sweep();
                case PUBLISH -> {
                    fanout.signal();
                    order.beat();
                }
                case DELIVER -> job.ensureRunning();
                default -> throw new IllegalStateException(beat.name());
            }
        }
    }

    /** Lets what is under way land; what does not, the ledger remembers. */
    @PreDestroy
    void stop() {
        step(() -> beating.forEach(Timer::cancel));
        step(polls::release);
        step(() -> job.stop(LANDING));
        step(() -> erasure.stop(LANDING));
        step(() -> listener.stop(LANDING));
        step(heartbeat::end);
    }

    private static void step(Runnable last) {
        try {
            last.run();
        } catch (RuntimeException e) {
            LOG.log(Level.INFO, "delivery stopped without order: {0}", e.toString());
        }
    }
}
