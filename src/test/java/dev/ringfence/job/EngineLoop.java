package dev.ringfence.job;

import dev.ringfence.background.Background;
import dev.ringfence.config.Settings;
import dev.ringfence.delivery.DeliveryCounters;
import dev.ringfence.delivery.DeliveryFixture;
import dev.ringfence.fence.HeldFences;
import dev.ringfence.fence.SharedFence;
import dev.ringfence.fence.TenantFences;
import dev.ringfence.harness.LocalTransactions;
import dev.ringfence.lifecycle.LifecycleRepository;
import dev.ringfence.lifecycle.TenantLifecycle;
import dev.ringfence.ordering.MovedKeys;
import dev.ringfence.receipt.BlameRepository;
import dev.ringfence.receipt.Conclusion;
import dev.ringfence.receipt.ConclusionRepository;
import dev.ringfence.receipt.Conclusions;
import dev.ringfence.receipt.ReceiptDesk;
import dev.ringfence.receipt.ReceiptRepository;
import dev.ringfence.receipt.Receipts;
import dev.ringfence.receipt.Settlement;
import dev.ringfence.reservation.RecheckRepository;
import dev.ringfence.reservation.ReservationOrder;
import dev.ringfence.reservation.ReservationRepository;
import dev.ringfence.reservation.Reservations;
import dev.ringfence.reservation.Reserved;
import dev.ringfence.security.SecretBox;
import dev.ringfence.signing.WebhookSecret;
import dev.ringfence.subscription.RealStreaks;
import dev.ringfence.subscription.RecipientRepository;
import dev.ringfence.subscription.SubscriptionSecrets;
import dev.ringfence.subscription.SubscriptionSecretsRepository;
import dev.ringfence.time.ClockProducer;
import dev.ringfence.time.NanoClock;
import dev.ringfence.transport.HttpTransport;
import dev.ringfence.transport.Loopback;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** The engine's parts put together by hand and driven by plain threads: everything is real but the server around it. */
final class EngineLoop implements AutoCloseable {
    private final Settings settings;
    final Slots slots;
    final CandidateFeed feed;
    final CancelledTenants cancelled;
    final DeliveryCounters counters = new DeliveryCounters();
    final DeliverySwitch delivery;
    private final Interference interference;
    final MovedKeys moved = new MovedKeys();
    private final LocalTransactions transactions;
    private final HttpTransport transport;
    private final Departure departure;
    private final Landing landing;
    private final List<Thread> workers = new ArrayList<>();
    private final NanoClock nanos;
    private final ExecutorService stragglers = Executors.newCachedThreadPool();
    private final Duration patience;
    private volatile boolean running = true;

    EngineLoop(DeliveryFixture fixture, Map<String, String> config) {
        this(fixture, config, Interference.NONE);
    }

    EngineLoop(DeliveryFixture fixture, Map<String, String> config, Interference interference) {
        this(fixture, config, interference, new NanoClock());
    }

    EngineLoop(DeliveryFixture fixture, Map<String, String> config, Interference interference, NanoClock nanos) {
        this(fixture, config, interference, nanos, nanos, Duration.ofSeconds(15));
    }

    /**
     * @param network the transport's clock, by which requests come to their deadlines
     * @param patience how long answers are waited for
     */
    EngineLoop(
            DeliveryFixture fixture,
            Map<String, String> config,
            Interference interference,
            NanoClock nanos,
            NanoClock network,
            Duration patience) {
        this.nanos = nanos;
        this.patience = patience;
        this.interference = interference;
        Map<String, String> all = new HashMap<>(config);
        all.put("ringfence.secrets.key", Base64.getEncoder().encodeToString(new byte[32]));
        all.put("ringfence.egress.allow", "127.0.0.0/8");
        settings = Settings.from(all);
        Clock clock = ClockProducer.utcMicros();
        transactions = fixture.transactions;
        transport = Loopback.open(settings, network);
        slots = new Slots(settings, nanos);
        delivery = new DeliverySwitch(settings);
        feed = new CandidateFeed(new CandidateRepository(transactions), slots, delivery, settings, clock, nanos);
        Reservations reservations = new RealReservations();
        ReceiptDesk desk = new ReceiptDesk(new RealReceipts(), counters);
        Endpoints endpoints = new Endpoints(
                new RecipientRepository(transactions),
                new SubscriptionSecrets(
                        new SubscriptionSecretsRepository(transactions), new SecretBox(settings), clock),
                nanos);
        cancelled = new CancelledTenants(slots, feed, transport, nanos);
        Takeoff takeoff =
                new Takeoff(reservations, new SecondLook(), desk, transport, cancelled, settings, clock, nanos);
        TenantFences fences = new TenantFences(transactions, settings, nanos, new HeldFences());
        departure = new Departure(endpoints, new RealConclusions(), fences, takeoff, slots, settings, clock, nanos);
        landing = new Landing(desk, reservations, slots, feed, clock);
        DeliverWriter writer = new DeliverWriter(
                landing, new Stragglers(landing, slots, nanos, patience, new Threads()), nanos, patience);
        for (int i = 0; i < settings.deliveryWorkers(); i++) {
            Thread worker = new Thread(() -> work(writer), "worker-" + i);
            workers.add(worker);
            worker.start();
        }
    }

    /** Gives the subscription a secret, sealed as the application seals it. */
    void sign(DeliveryFixture fixture, UUID subscription, WebhookSecret secret) {
        byte[] sealed = new SecretBox(settings)
                .seal(
                        "subscription " + subscription + " entry 0",
                        secret.reveal().getBytes(StandardCharsets.UTF_8));
        fixture.update(
                "insert into subscription_secrets (subscription_id, entry, generation, secret, created_at) values (?, 0, 1, ?, now())",
                subscription,
                sealed);
        fixture.update(
                "update subscriptions set signing = '[{\"scheme\":\"webhook-id\",\"prefix\":\"webhook\"}]'::jsonb where id = ?",
                subscription);
    }

    private LifecycleRepository lifecycles() {
        try {
            LifecycleRepository repository = new LifecycleRepository();
            Field field = LifecycleRepository.class.getDeclaredField("dataSources");
            field.setAccessible(true);
            field.set(repository, transactions);
            return repository;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private void work(DeliverWriter writer) {
        while (running) {
            List<Candidate> batch = feed.take(Duration.ofMillis(500));
            if (!batch.isEmpty()) {
                departure.depart(batch).ifPresent(flight -> {
                    try {
                        writer.writeItems(List.of(flight));
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
            }
        }
    }

    @Override
    public void close() throws InterruptedException {
        running = false;
        feed.stop();
        Loopback.close(transport);
        for (Thread worker : workers) {
            worker.join();
        }
        stragglers.shutdown();
        if (!stragglers.awaitTermination(1, TimeUnit.MINUTES)) {
            throw new IllegalStateException("stragglers do not end");
        }
    }

    private final class RealReservations extends Reservations {
        RealReservations() {
            super(new ReservationRepository(transactions), counters);
        }

        @Override
        public List<Reserved> reserve(ReservationOrder order) {
            interference.beforeReservation();
            return transactions.inNew(() -> super.reserve(order));
        }

        @Override
        public int release(List<Reserved> unstarted, Instant now) {
            return transactions.inNew(() -> super.release(unstarted, now));
        }
    }

    private final class SecondLook extends RecheckRepository {
        SecondLook() {
            super(lifecycles());
        }

        @Override
        public Map<Long, TenantLifecycle> reread(SharedFence fence, Collection<Long> tenantIds) {
            interference.beforeSecondLook();
            return super.reread(fence, tenantIds);
        }
    }

    private final class RealReceipts extends Receipts {
        RealReceipts() {
            super(new ReceiptRepository(transactions), RealStreaks.over(transactions), moved);
        }

        @Override
        public Set<UUID> settle(List<Settlement> settlements, Instant now) {
            return transactions.inNew(() -> super.settle(settlements, now));
        }
    }

    private final class RealConclusions extends Conclusions {
        RealConclusions() {
            super(
                    new ConclusionRepository(transactions),
                    new BlameRepository(transactions, settings),
                    RealStreaks.over(transactions),
                    moved,
                    counters);
        }

        @Override
        public int conclude(List<Conclusion> conclusions, Instant now) {
            return transactions.inNew(() -> super.conclude(conclusions, now));
        }
    }

    /** What the container would lend. */
    private final class Threads extends Background {
        @Override
        public void run(Runnable work) {
            stragglers.execute(work);
        }
    }
}
