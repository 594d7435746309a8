package dev.ringfence.quickstart;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.harness.RingfenceClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Deliveries of the demo's tenant as the API tells them.
 *
 * @param unpublished events recorded and not fanned out yet
 */
record Deliveries(List<JsonNode> items, boolean unpublished) {
    static Deliveries read(RingfenceClient client, String app) {
        String tenant = "tenant=" + Demo.TENANT;
        boolean waiting = !client.get("apps/" + app + "/events?limit=1&status=PENDING&" + tenant)
                .expect(200)
                .body()
                .path("items")
                .isEmpty();
        List<JsonNode> items = new ArrayList<>();
        String path = "apps/" + app + "/deliveries?limit=200&" + tenant;
        String cursor = "";
        while (cursor != null) {
            JsonNode page = client.get(path + cursor).expect(200).body();
            page.path("items").forEach(items::add);
            cursor = page.path("next").isTextual()
                    ? "&cursor=" + page.path("next").asText()
                    : null;
        }
        return new Deliveries(items, waiting);
    }

    boolean allDelivered() {
        return !unpublished && !items.isEmpty() && items.stream().allMatch(Deliveries::isDelivered);
    }

    private static boolean isDelivered(JsonNode delivery) {
        return delivery.path("state").asText().equals("delivered");
    }

    Map<String, Integer> byState() {
        Map<String, Integer> counts = new TreeMap<>();
        items.forEach(delivery -> counts.merge(delivery.path("state").asText(), 1, Integer::sum));
        return counts;
    }

    int attempts() {
        return items.stream()
                .mapToInt(delivery -> delivery.path("attempts").size())
                .sum();
    }

    /** The receipt of the attempt that was acknowledged; a missing node where none was. */
    static JsonNode receipt(JsonNode delivery) {
        JsonNode attempts = delivery.path("attempts");
        return attempts.path(attempts.size() - 1).path("receipt");
    }

    long receipts(String field) {
        return items.stream()
                .mapToLong(delivery -> receipt(delivery).path(field).asLong())
                .sum();
    }
}
