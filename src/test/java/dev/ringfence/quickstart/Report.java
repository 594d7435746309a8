package dev.ringfence.quickstart;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.ServerProcess;
import java.io.PrintStream;
import java.util.Locale;

/** What arrived, where things are, and what to try next. */
final class Report {
    private static final int ROWS = 8;

    private final ServerProcess server;
    private final Home home;
    private final PrintStream out;

    Report(ServerProcess server, Home home, PrintStream out) {
        this.server = server;
        this.home = home;
        this.out = out;
    }

    void print(Deliveries deliveries) {
        printTable(deliveries);
        printPlaces();
        printNext(deliveries);
        out.println();
        out.println("Ready. Stop with Ctrl-C; the next start goes on with these data.");
    }

    private void printTable(Deliveries deliveries) {
        RingfenceClient client = new RingfenceClient(server.api(), value("client.key"));
        String row = "%-32s %-30s %-10s %8s %5s  %s%n";
        out.println();
        out.printf(Locale.ROOT, row, "event", "name", "state", "attempts", "http", "receipt");
        deliveries.items().stream().limit(ROWS).forEach(delivery -> {
            String event = delivery.path("eventId").asText();
            JsonNode attempts = delivery.path("attempts");
            JsonNode receipt = Deliveries.receipt(delivery);
            out.printf(
                    Locale.ROOT,
                    row,
                    event,
                    name(client, event),
                    delivery.path("state").asText(),
                    attempts.size(),
                    attempts.path(attempts.size() - 1).path("httpStatus").asText("-"),
                    receipt.isObject()
                            ? "stored " + receipt.path("stored").asLong() + ", deduped "
                                    + receipt.path("deduped").asLong()
                            : "-");
        });
        if (deliveries.items().size() > ROWS) {
            out.println("… and " + (deliveries.items().size() - ROWS) + " more");
        }
        out.println();
        out.println("In all: " + deliveries.byState() + ", attempts " + deliveries.attempts() + ", receipts: stored "
                + deliveries.receipts("stored") + ", deduped " + deliveries.receipts("deduped") + ".");
    }

    private String name(RingfenceClient client, String event) {
        return client.get("apps/" + value("app.id") + "/events/" + event)
                .body()
                .path("envelope")
                .path("eventName")
                .asText("-");
    }

    private void printPlaces() {
        out.println();
        out.println("API      " + server.api());
        out.println("Health   " + server.health());
        out.println("Admin    " + value("admin.key"));
        out.println("Log      " + server.log());
    }

    private void printNext(Deliveries deliveries) {
        String app = server.api() + "apps/" + value("app.id");
        String event = deliveries.items().isEmpty()
                ? ""
                : deliveries.items().get(0).path("eventId").asText();
        out.println();
        out.println("To try next:");
        curl("-H 'Authorization: Bearer " + value("client.key") + "' " + app + "/tenants/" + Demo.TENANT);
        curl("-H 'Authorization: Bearer " + value("client.key") + "' " + app + "/events/" + event);
        curl("-H 'Authorization: Bearer " + value("client.key") + "' '" + app + "/deliveries?state=delivered&limit=2'");
        curl("-H 'Authorization: Bearer " + value("client.key") + "' " + app + "/tenants/" + Demo.TENANT
                + "/events -H 'Content-Type: application/json' -d '" + event() + "'");
    }

    private String event() {
        ObjectNode request = RingfenceClient.object().put("epoch", value("epoch"));
        ObjectNode event = request.putArray("events").addObject();
        event.put("name", "shop.order.placed.v1").put("aggregateType", "order").put("aggregateId", "order-1");
        event.put("occurredAt", "2025-12-01T10:00:00.000Z").putObject("actor").put("type", "system");
        event.putObject("payload").put("orderId", "order-1").put("total", "12.50");
        return request.toString();
    }

    private void curl(String arguments) {
        out.println("  curl -s " + arguments);
    }

    private String value(String key) {
        return home.find(key).orElseThrow();
    }
}
