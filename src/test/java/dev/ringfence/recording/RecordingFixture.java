package dev.ringfence.recording;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.config.Settings;
import dev.ringfence.delivery.WaitingRepository;
import dev.ringfence.harness.LocalTransactions;
import dev.ringfence.harness.TestDatabase;
import dev.ringfence.idempotency.Idempotency;
import dev.ringfence.idempotency.IdempotencyRepository;
import dev.ringfence.json.JsonSchemas;
import dev.ringfence.json.StrictJson;
import dev.ringfence.lifecycle.CallerStart;
import dev.ringfence.lifecycle.LifecycleRepository;
import dev.ringfence.lifecycle.RequestStarts;
import dev.ringfence.lifecycle.TenantRef;
import dev.ringfence.outbox.OrdinalsRepository;
import dev.ringfence.outbox.OutboxRepository;
import dev.ringfence.security.Caller;
import dev.ringfence.time.ClockProducer;
import dev.ringfence.time.DatabaseClockRepository;
import dev.ringfence.time.NanoClock;
import dev.ringfence.time.SkewMonitor;
import jakarta.enterprise.event.Event;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Recording put together by hand on a database of its own, with one app and one enrolled tenant. */
final class RecordingFixture implements AutoCloseable {
    static final UUID APP = UUID.fromString("0b54c1e6-6c3b-4c6f-9a3f-2d5d7a1f3e10");
    static final UUID EPOCH = UUID.fromString("7f1a0c2e-54b1-4f0e-9d8a-2c3b4a5d6e7f");
    static final TenantRef SHOP = new TenantRef(APP, "shop-7");
    private static final Caller CALLER = new Caller(UUID.randomUUID(), APP, Set.of("client"), "test");

    final TestDatabase database = TestDatabase.migrated();
    final LocalTransactions transactions = new LocalTransactions(database.dataSource());
    final List<Recorded> fired = new CopyOnWriteArrayList<>();
    /** Added to the monotonic clock of the queue's measurements. */
    final AtomicLong laterNanos = new AtomicLong();

    private final Clock clock = ClockProducer.utcMicros();
    private final RecordingRequests requests = new RecordingRequests(new JsonSchemas());
    private final Recorder recorder;
    private final Operations operations;

    RecordingFixture() {
        this(Map.of(), List.of());
    }

    RecordingFixture(Map<String, String> more, List<AggregatePolicy> policies) {
        Settings settings = settings(more);
        LifecycleRepository lifecycle = lifecycle();
        Admission admission = new Admission(lifecycle, starts(settings), settings);
        QueueDepth queue = new QueueDepth(
                settings, new QueueDepthRepository(transactions), new WaitingRepository(transactions), shiftedClock());
        OutboxRepository outbox = new OutboxRepository(transactions);
        EventWriter writer = new EventWriter(new OrdinalsRepository(transactions), outbox, queue, events());
        Idempotency idempotency = new Idempotency(new IdempotencyRepository(transactions), clock);
        recorder = new Recorder(admission, idempotency, queue, new MilestoneContexts(lifecycle, outbox), writer, clock);
        operations = new Operations(
                admission,
                idempotency,
                new OperationReceiptsRepository(transactions),
                new OperationDecision(new AggregatesRepository(transactions), new Policies(policies), queue, writer),
                clock);
        enrol();
    }

    private static Settings settings(Map<String, String> more) {
        Map<String, String> values = new java.util.HashMap<>(more);
        values.put("ringfence.secrets.key", Base64.getEncoder().encodeToString(new byte[32]));
        values.putIfAbsent("ringfence.fence.timeout-ms", "10000");
        return Settings.from(values);
    }

    private LifecycleRepository lifecycle() {
        try {
            LifecycleRepository lifecycle = new LifecycleRepository();
            Field field = LifecycleRepository.class.getDeclaredField("dataSources");
            field.setAccessible(true);
            field.set(lifecycle, transactions);
            return lifecycle;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private RequestStarts starts(Settings settings) {
        NanoClock nanos = new NanoClock();
        return new RequestStarts(
                new SkewMonitor(new DatabaseClockRepository(transactions, clock, nanos), nanos, settings));
    }

    private NanoClock shiftedClock() {
        return new NanoClock() {
            @Override
            public long nanos() {
                return super.nanos() + laterNanos.get();
            }
        };
    }

    @SuppressWarnings("unchecked")
    private Event<Recorded> events() {
        return (Event<Recorded>) Proxy.newProxyInstance(
                RecordingFixture.class.getClassLoader(),
                new Class<?>[] {Event.class},
                (proxy, method, arguments) -> fired.add((Recorded) arguments[0]));
    }

    private void enrol() {
        database.execute("select ringfence.ensure_partitions(clock_timestamp() - interval '7 days', 4)");
        database.execute("""
                insert into ringfence.apps (id, name, created_at, updated_at)
                values ('%s', 'shop', clock_timestamp(), clock_timestamp());
                insert into ringfence.tenant_lifecycle (app_id, tenant_hash, tenant, fence_key, epoch, phase,
                    last_redacted_at, enrolled_at, created_at, updated_at)
                values ('%s', '\\x%s', 'shop-7', %d, '%s', 'ACTIVE', '2020-01-01T00:00:00Z', clock_timestamp(),
                    clock_timestamp(), clock_timestamp())""".formatted(
                APP, APP, HexFormat.of().formatHex(SHOP.hash()), SHOP.fenceKey().value(), EPOCH));
    }

    /** An event document; {@code more} is inserted as it is. */
    static String event(String aggregateId, String payload, String more) {
        return "{\"name\":\"shop.order.placed.v1\",\"aggregateType\":\"order\",\"aggregateId\":\"" + aggregateId
                + "\",\"occurredAt\":\"2026-06-03T10:00:00Z\",\"actor\":{\"type\":\"system\"}," + more + "\"payload\":"
                + payload + "}";
    }

    /** Records event documents; the answer as JSON. */
    JsonNode record(String... events) {
        return record(EPOCH, CallerStart.ABSENT, null, events);
    }

    JsonNode record(UUID epoch, CallerStart start, @Nullable String key, String... events) {
        byte[] body = ("{\"epoch\":\"" + epoch + "\",\"events\":[" + String.join(",", events) + "]}")
                .getBytes(StandardCharsets.UTF_8);
        Submission submission = new Submission(requests.read(body, "events").events(), null);
        TenantRequest request = new TenantRequest(SHOP, epoch, start, clock.instant());
        return json(BoundedWaits.answer(() ->
                        transactions.inNew(() -> recorder.record(request, origin(), posted(key, body), submission)))
                .body());
    }

    JsonNode check(String... events) {
        byte[] body = ("{\"epoch\":\"" + EPOCH + "\",\"events\":[" + String.join(",", events) + "]}")
                .getBytes(StandardCharsets.UTF_8);
        Submission submission = new Submission(requests.read(body, "events").events(), null);
        TenantRequest request = new TenantRequest(SHOP, EPOCH, CallerStart.ABSENT, clock.instant());
        return StrictJson.tree(transactions.inNew(() -> recorder.check(request, origin(), submission)));
    }

    /** Runs an operation on order {@code id}; the receipt as JSON with its HTTP status as {@code status}. */
    JsonNode operate(String operationId, String id, long expectedVersion, String state, String... events) {
        byte[] body = ("{\"clientOperationId\":\"" + operationId + "\",\"epoch\":\"" + EPOCH
                        + "\",\"aggregate\":{\"type\":\"order\",\"id\":\"" + id + "\",\"expectedVersion\":"
                        + expectedVersion + "},\"state\":" + state + ",\"events\":[" + String.join(",", events) + "]}")
                .getBytes(StandardCharsets.UTF_8);
        Operation operation = Operation.of(requests.read(body, "operation"));
        TenantRequest request = new TenantRequest(SHOP, EPOCH, CallerStart.ABSENT, clock.instant());
        var answer = BoundedWaits.answer(
                () -> transactions.inNew(() -> operations.run(request, origin(), posted(null, body), operation)));
        return ((com.fasterxml.jackson.databind.node.ObjectNode) json(answer.body())).put("status", answer.status());
    }

    private static RequestOrigin origin() {
        return new RequestOrigin("cor_test", "req_test", null);
    }

    private static PostedBody posted(@Nullable String key, byte[] body) {
        return new PostedBody(key, "/events", CALLER, body);
    }

    private static JsonNode json(byte[] body) {
        return StrictJson.parse(body);
    }

    @Override
    public void close() {
        database.close();
    }
}
