package dev.ringfence.delivery;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.ServerProcess;
import dev.ringfence.harness.TestDatabase;
import dev.ringfence.harness.TestReceiver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A real server that delivers to a real receiver for the time of a test class, which registers it as a static extension, and on it one
 * application at a time whose deliveries come to every end there is: for tests that look at deliveries from outside.
 */
public final class DeliveryScene implements BeforeAllCallback, AfterAllCallback {
    /** A key that may everything. */
    public static final String ADMIN_KEY = "scene-admin-key-0123456789-0123456789-0123";

    public final TestDatabase database = TestDatabase.migrated();
    /** What paths answer for the time being, whatever they answer else. */
    public final Map<String, Integer> statuses = new ConcurrentHashMap<>();

    public final TestReceiver receiver = TestReceiver.start().answering(this::answer);
    private final AtomicInteger flaky = new AtomicInteger();
    private final ServerProcess server;

    /** A scene; the name is the directory of its server. */
    public DeliveryScene(String name) {
        server = ServerProcess.named(name)
                .database(database)
                .config("ringfence.bootstrap.admin-key", ADMIN_KEY)
                .config("ringfence.secrets.key", Base64.getEncoder().encodeToString(new byte[32]))
                .config("ringfence.egress.allow", "127.0.0.0/8")
                .build();
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        server.start();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        server.close();
        receiver.close();
        database.close();
    }

    private TestReceiver.Answer answer(TestReceiver.Request request) {
        String path = request.path().replaceFirst("\\?.*", "");
        Integer status = statuses.get(path);
        if (status != null) {
            return TestReceiver.Answer.status(status);
        }
        return switch (path) {
            case "/refuse" -> TestReceiver.Answer.status(400);
            case "/gone" -> TestReceiver.Answer.status(410);
            case "/busy" -> TestReceiver.Answer.status(503);
            case "/flaky" -> TestReceiver.Answer.status(flaky.incrementAndGet() % 4 == 0 ? 503 : 200);
            case "/receipt" ->
                TestReceiver.Answer.of(200, acknowledgement(request).toString());
            default -> TestReceiver.Answer.status(200);
        };
    }

    private static ObjectNode acknowledgement(TestReceiver.Request request) {
        try {
            ObjectNode acknowledgement = RingfenceClient.object()
                    .put("ok", true)
                    .put("stored", 1)
                    .put("deduped", 0)
                    .put("scope", "app");
            acknowledgement
                    .putArray("results")
                    .addObject()
                    .put(
                            "appId",
                            RingfenceClient.JSON
                                    .readTree(request.body())
                                    .path("appId")
                                    .asText())
                    .put("scope", "app")
                    .put("id", "4711");
            return acknowledgement;
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** A client that may everything. */
    public RingfenceClient admin() {
        return new RingfenceClient(server.api(), ADMIN_KEY);
    }

    /** A new application with a tenant. */
    public Shop shop() {
        return new Shop();
    }

    /** One application, one tenant, and its subscriptions by the name they were given. */
    public final class Shop {
        public final String app = admin().createApp("shop");
        public final RingfenceClient client = admin().as(admin().createKey(app, "shop", "client", "operator"));
        public final Map<String, String> subscriptions = new TreeMap<>();
        private final AtomicInteger occurrences = new AtomicInteger();
        private final Map<String, String> epochs = new TreeMap<>();

        private Shop() {}

        /** Subscribes a tenant, which is enrolled if need be, and returns the subscription's id. */
        public String subscribe(String tenant, String name, String path, ObjectNode more) {
            epochs.computeIfAbsent(tenant, unknown -> client.enrol(app, unknown));
            ObjectNode request = RingfenceClient.object()
                    .put("name", name)
                    .put("mode", "PUSH")
                    .put("url", receiver.url(path).toString())
                    .put("timeoutMs", 10_000);
            request.setAll(more);
            String id = client.post("apps/" + app + "/tenants/" + tenant + "/subscriptions", request)
                    .expect(201)
                    .body()
                    .path("id")
                    .asText();
            subscriptions.put(name, id);
            return id;
        }

        /**
         * Subscribes {@code tenant} once for each end: {@code delivered}, {@code receipt} (delivered, with a receipt of its own), {@code retrying}
         * (uncertain, and the next attempt is an hour away), {@code refused} and {@code exhausted} (dead), {@code denied} (failed),
         * {@code filtered}.
         */
        public Shop withEveryEnd(String tenant) {
            subscribe(tenant, "delivered", "/take", RingfenceClient.object());
            subscribe(tenant, "receipt", "/receipt", RingfenceClient.object().put("ack", "RECEIPT"));
            subscribe(tenant, "refused", "/refuse", RingfenceClient.object());
            subscribe(tenant, "retrying", "/busy", waits(3_600));
            subscribe(tenant, "exhausted", "/busy", waits());
            ObjectNode denied = RingfenceClient.object();
            denied.putArray("grants").add("another.family");
            subscribe(tenant, "denied", "/take", denied);
            ObjectNode filtered = RingfenceClient.object();
            filtered.putArray("match").addObject().put("payload.number", -1);
            subscribe(tenant, "filtered", "/take", filtered);
            return this;
        }

        /** Records one event and returns its id. */
        public String record(String tenant) {
            return recordAll(tenant, 1).get(0);
        }

        /** Records some events and returns their ids. */
        public List<String> recordAll(String tenant, int count) {
            List<JsonNode> events = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                events.add(RingfenceClient.orderPlaced(occurrences.incrementAndGet()));
            }
            List<String> ids = new ArrayList<>();
            client.record(app, tenant, epochs.computeIfAbsent(tenant, unknown -> client.enrol(app, unknown)), events)
                    .expect(202)
                    .body()
                    .path("results")
                    .forEach(result -> ids.add(result.path("eventId").asText()));
            return ids;
        }

        /** Records one event after the other, each with the next of the ordering keys. */
        public void recordKeyed(String tenant, List<String> keys) {
            String epoch = epochs.computeIfAbsent(tenant, unknown -> client.enrol(app, unknown));
            for (String key : keys) {
                ObjectNode event = RingfenceClient.orderPlaced(occurrences.incrementAndGet())
                        .put("orderingKey", key);
                client.record(app, tenant, epoch, List.of(event)).expect(202);
            }
        }

        /** Waits until so many events are fanned out and each of their deliveries ended, or was tried once and waits for long. */
        public void awaitEnds(int events) {
            await(
                    "deliveries of " + app,
                    () -> count("outbox_events where status = 'PUBLISHED'") == events
                            && count("deliveries where (state = 'pending' or state = 'retrying'"
                                            + " and next_attempt_at < now() + interval '10 minutes')")
                                    == 0);
        }

        /** The subscription's deliveries, newest first. */
        public List<JsonNode> deliveries(String subscription) {
            List<JsonNode> items = new ArrayList<>();
            client.get("apps/" + app + "/deliveries?limit=200&subscription=" + subscription)
                    .expect(200)
                    .body()
                    .path("items")
                    .forEach(items::add);
            return items;
        }

        /** How many rows of the application there are: a table and a condition. */
        public long count(String tableAndCondition) {
            return database.number("select count(*) from " + tableAndCondition + " and app_id = '" + app + "'");
        }
    }

    /** Waits until that is so. */
    public static void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what)
                .pollInterval(Duration.ofMillis(100))
                .atMost(Duration.ofMinutes(2))
                .until(condition);
    }

    /** What operators have to say for an act on a delivery. */
    public static ObjectNode because() {
        return RingfenceClient.object().put("reason", "the operator said so");
    }

    /** A subscription's retry policy: one attempt more than waits. */
    public static ObjectNode waits(int... seconds) {
        ObjectNode more = RingfenceClient.object();
        ObjectNode retry = more.putObject("retry").put("jitter", 0).put("attempts", seconds.length + 1);
        var waits = retry.putArray("waitsSeconds");
        for (int wait : seconds) {
            waits.add(wait);
        }
        return more;
    }
}
