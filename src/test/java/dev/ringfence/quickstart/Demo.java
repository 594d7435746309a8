package dev.ringfence.quickstart;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ringfence.harness.RingfenceClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/** A shop that records its orders and receives them: only calls of the public HTTP interface, each step at most once. */
final class Demo {
    static final String TENANT = "teashop";
    static final String CONSUMER = "demo";
    private static final String ORDERS = "/quickstart/orders.jsonl";
    private static final int BATCH = 50;
    private static final int FRESH = 5;
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private final RingfenceClient admin;
    private final Home home;
    private final PrintStream out;

    Demo(RingfenceClient admin, Home home, PrintStream out) {
        this.admin = admin;
        this.home = home;
        this.out = out;
    }

    void run() {
        checkKey();
        String app = home.remember("app.id", () -> admin.createApp("Demo shop"));
        String clientKey = home.remember("client.key", () -> admin.createKey(app, "Demo client", "client"));
        String operatorKey = home.remember("operator.key", () -> admin.createKey(app, "Demo operator", "operator"));
        RingfenceClient client = admin.as(clientKey);
        String epoch = enrol(client, app);
        String secret = home.remember("inbox.secret", () -> "whsec_" + QuickStart.random(32, true));
        home.remember("consumer.id", () -> consumer(secret));
        if (!home.find("epoch").equals(Optional.of(epoch))) {
            // The first start, or whoever tried a redaction took the subscription with it.
            home.put("subscription.id", subscribe(admin.as(operatorKey), app, secret));
            home.put("epoch", epoch);
        }
        boolean first = home.find("recorded").isEmpty();
        List<JsonNode> events = first ? orders() : freshOrders();
        record(client, app, epoch, events);
        home.put("recorded", "true");
        awaitDelivered();
    }

    private void checkKey() {
        int status = admin.get("apps").status();
        if (status == 401) {
            throw new Refused("This database belongs to another installation: its admin key is not kept here. "
                    + "Take another database, or the ringfence.home that made it.");
        }
    }

    /** The server refuses until it has compared its clock with the database's, a moment after it starts. */
    private static String enrol(RingfenceClient client, String app) {
        return Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(300))
                .ignoreException(AssertionError.class)
                .until(() -> client.enrol(app, TENANT), epoch -> !epoch.isEmpty());
    }

    private String consumer(String secret) {
        ObjectNode request = RingfenceClient.object()
                .put("name", CONSUMER)
                .put("scheme", "webhook-id")
                .put("secret", secret);
        return admin.post("inbox-consumers", request).expect(201).text();
    }

    private String subscribe(RingfenceClient operator, String app, String secret) {
        ObjectNode request = RingfenceClient.object().put("name", "Own inbox").put("mode", "PUSH");
        request.put("url", operator.api().resolve("inbox/" + CONSUMER).toString());
        request.put("ack", "RECEIPT");
        request.putArray("signing").addObject().put("scheme", "webhook-id").put("secret", secret);
        request.putArray("grants").add("*");
        return operator.post("apps/" + app + "/tenants/" + TENANT + "/subscriptions", request)
                .expect(201)
                .body()
                .path("id")
                .asText();
    }

    private void record(RingfenceClient client, String app, String epoch, List<JsonNode> events) {
        out.println("Recording " + events.size() + " order events …");
        for (int from = 0; from < events.size(); from += BATCH) {
            List<JsonNode> batch = events.subList(from, Math.min(from + BATCH, events.size()));
            client.record(app, TENANT, epoch, batch).expect(202);
        }
    }

    private static List<JsonNode> orders() {
        try (InputStream stream = Demo.class.getResourceAsStream(ORDERS);
                BufferedReader reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            List<JsonNode> events = new ArrayList<>();
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                events.add(RingfenceClient.JSON.readTree(line));
            }
            return events;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A few orders of today, for a start on data that has the file's orders already. */
    private static List<JsonNode> freshOrders() {
        List<JsonNode> events = new ArrayList<>();
        for (JsonNode order : orders().subList(0, FRESH)) {
            String id = "order-" + UUID.randomUUID();
            ObjectNode event = order.deepCopy();
            event.put("aggregateId", id).put("orderingKey", id).put("occurrenceKey", id + "-fresh");
            event.put("occurredAt", Instant.now().truncatedTo(ChronoUnit.MILLIS).toString());
            ((ObjectNode) event.path("payload")).put("orderId", id);
            events.add(event);
        }
        return events;
    }

    private void awaitDelivered() {
        out.println("Waiting until the inbox has acknowledged every one …");
        try {
            Awaitility.await()
                    .atMost(LIMIT)
                    .pollInterval(Duration.ofMillis(300))
                    .until(() -> deliveries().allDelivered());
        } catch (ConditionTimeoutException e) {
            out.println(
                    "Not everything was delivered within " + LIMIT.toMinutes() + " minutes; this is how it stands:");
        }
    }

    /** How the demo's deliveries stand now. */
    Deliveries deliveries() {
        return Deliveries.read(
                admin.as(home.find("client.key").orElseThrow()),
                home.find("app.id").orElseThrow());
    }
}
