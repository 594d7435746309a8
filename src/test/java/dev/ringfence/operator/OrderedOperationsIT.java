package dev.ringfence.operator;

import static dev.ringfence.delivery.DeliveryScene.await;
import static dev.ringfence.delivery.DeliveryScene.because;
import static dev.ringfence.harness.RingfenceClient.object;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ringfence.delivery.DeliveryScene;
import dev.ringfence.harness.RingfenceClient.Answer;
import dev.ringfence.harness.TestReceiver;
import dev.ringfence.json.StrictJson;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Order per key from recording to the receiver, and what operators do to it, on a server that really delivers. */
@Tag("OB-5")
class OrderedOperationsIT {
    private static final String TENANT = "shop-1";

    @RegisterExtension
    static final DeliveryScene scene = new DeliveryScene("ordered");

    private DeliveryScene.Shop shop;
    private String path;

    @BeforeEach
    void open() {
        shop = scene.shop();
        path = "/" + UUID.randomUUID();
    }

    private static ObjectNode ordered(String onDead) {
        return DeliveryScene.waits(1, 1, 1, 1, 1).put("ordering", "KEY").put("onDead", onDead);
    }

    private String app(String rest) {
        return "apps/" + shop.app + "/" + rest;
    }

    /** The subscription's deliveries, oldest first. */
    private List<JsonNode> deliveries(String subscription) {
        List<JsonNode> items = shop.deliveries(subscription);
        Collections.reverse(items);
        return items;
    }

    /** State of each delivery; a held one in brackets. */
    private List<String> states(String subscription) {
        return deliveries(subscription).stream()
                .map(d -> d.path("held").asBoolean()
                        ? "(" + d.path("state").asText() + ")"
                        : d.path("state").asText())
                .toList();
    }

    private void awaitStates(String subscription, String... states) {
        await(String.join(", ", states), () -> states(subscription).equals(List.of(states)));
    }

    private List<JsonNode> arrived(String at) {
        return scene.receiver.requests().stream()
                .filter(request -> request.path().equals(at))
                .map(TestReceiver.Request::body)
                .map(StrictJson::parse)
                .filter(body -> body.path("appId").asText().equals(shop.app))
                .toList();
    }

    private List<Integer> numbers() {
        return arrived(path).stream()
                .map(body -> body.path("orderingSequence").asInt())
                .toList();
    }

    private Answer retry(JsonNode delivery) {
        return shop.client.post(app("deliveries/" + delivery.path("id").asText() + "/retry"), because());
    }

    private Answer discard(JsonNode delivery) {
        return shop.client.post(app("dead-letters/" + delivery.path("id").asText() + "/discard"), because());
    }

    private long audits(String action, JsonNode delivery, String condition) {
        return scene.database.number("select count(*) from ringfence.audit_log where action = '" + action
                + "' and target = '" + delivery.path("id").asText()
                + "' and actor like '%(shop)' and reason = 'the operator said so' and " + condition);
    }

    @Test
    @Tag("OP-1")
    void a_dead_delivery_holds_its_key_until_it_is_sent_again() {
        String id = shop.subscribe(TENANT, "hook", path, ordered("BLOCK"));
        scene.statuses.put(path, 400);
        shop.recordKeyed(TENANT, List.of("k", "k", "k"));
        awaitStates(id, "dead", "(pending)", "(pending)");
        JsonNode held = deliveries(id).get(1);
        assertThat(held.has("nextAttemptAt")).isFalse();
        assertThat(held.path("orderingKey").asText()).isEqualTo("k");
        assertThat(held.path("orderingSequence").asLong()).isEqualTo(2);

        scene.statuses.remove(path);
        shop.recordKeyed(TENANT, List.of("another"));
        awaitStates(id, "dead", "(pending)", "(pending)", "delivered");
        JsonNode dead = deliveries(id).get(0);
        retry(dead).expect(202);
        awaitStates(id, "delivered", "delivered", "delivered", "delivered");

        assertThat(numbers()).containsExactly(1, 1, 1, 2, 3);
        assertThat(deliveries(id)).noneMatch(d -> d.has("outOfOrder"));
        assertThat(audits("delivery.retry", dead, "not detail ? 'outOfOrder'")).isEqualTo(1);

        retry(dead).expect(202);
        await("sent once more", () -> numbers().size() == 6);
        awaitStates(id, "delivered", "delivered", "delivered", "delivered");
        assertThat(deliveries(id).get(0).path("outOfOrder").asBoolean()).isTrue();
        assertThat(audits("delivery.retry", dead, "(detail ->> 'outOfOrder')::boolean"))
                .isEqualTo(1);
    }

    @Test
    @Tag("OP-1")
    @Tag("OP-2")
    void a_dead_delivery_is_discarded_once_and_holds_nobody_any_more() {
        String id = shop.subscribe(TENANT, "hook", path, ordered("BLOCK"));
        scene.statuses.put(path, 400);
        shop.recordKeyed(TENANT, List.of("k", "k"));
        awaitStates(id, "dead", "(pending)");
        scene.statuses.remove(path);
        List<JsonNode> waiting = deliveries(id);
        assertThat(discard(waiting.get(1)).expect(409).code()).isEqualTo("NOT_DEAD");
        shop.client
                .post(app("dead-letters/" + waiting.get(0).path("id").asText() + "/discard"), object())
                .expect(422);
        shop.client.post(app("dead-letters/1/discard"), because()).expect(404);
        String other = scene.admin().createApp("other");
        scene.admin()
                .post(
                        "apps/" + other + "/dead-letters/"
                                + waiting.get(0).path("id").asText() + "/discard",
                        because())
                .expect(404);
        scene.admin()
                .as(scene.admin().createKey(shop.app, "reader", "client", "auditor"))
                .post(app("dead-letters/" + waiting.get(0).path("id").asText() + "/discard"), because())
                .expect(403);

        assertThat(discard(waiting.get(0)).expect(200).body().path("discarded").asBoolean())
                .isTrue();
        awaitStates(id, "dead", "delivered");
        assertThat(discard(waiting.get(0)).expect(409).code()).isEqualTo("DISCARDED");
        assertThat(retry(waiting.get(0)).expect(409).code()).isEqualTo("DISCARDED");
        assertThat(deliveries(id).get(0).path("discarded").asBoolean()).isTrue();
        assertThat(audits("delivery.discard", waiting.get(0), "true")).isEqualTo(1);
        assertThat(numbers()).containsExactly(1, 2);
    }

    @Test
    @Tag("SB-1")
    void an_order_that_is_no_longer_wanted_lets_go_all_that_waits() {
        String id = shop.subscribe(TENANT, "hook", path, ordered("BLOCK"));
        scene.statuses.put(path, 400);
        shop.recordKeyed(TENANT, List.of("k", "k", "k"));
        awaitStates(id, "dead", "(pending)", "(pending)");
        scene.statuses.remove(path);
        JsonNode shown = shop.client.get(app("subscriptions/" + id)).expect(200).body();
        assertThat(shown.path("ordering").asText() + shown.path("onDead").asText())
                .isEqualTo("KEYBLOCK");

        assertThat(shop.client
                        .patch(app("subscriptions/" + id), object().put("ordering", "NONE"))
                        .expect(422)
                        .body()
                        .toString())
                .contains("/onDead");
        shop.client
                .patch(
                        app("subscriptions/" + id),
                        object().put("ordering", "NONE").put("onDead", "CONTINUE"))
                .expect(200);
        awaitStates(id, "dead", "delivered", "delivered");
    }

    @Test
    @Tag("SB-1")
    void an_order_that_nobody_would_keep_is_refused() {
        shop.subscribe(TENANT, "hook", path, object());
        String subscriptions = app("tenants/" + TENANT + "/subscriptions");
        ObjectNode pull = object().put("name", "feed")
                .put("mode", "PULL")
                .put("ordering", "KEY")
                .put("onDead", "BLOCK");
        assertThat(shop.client.post(subscriptions, pull).expect(422).body().toString())
                .contains("/ordering", "/onDead", "NOT_APPLICABLE", "A feed holds nothing back");
        ObjectNode push = object().put("name", "hook")
                .put("mode", "PUSH")
                .put("url", scene.receiver.url(path).toString());
        assertThat(shop.client
                        .post(subscriptions, push.put("onDead", "BLOCK"))
                        .expect(422)
                        .body()
                        .toString())
                .contains("/onDead", "NOT_APPLICABLE");
    }

    /** A receiver that fails now and then, and then all of it once more by a replay. */
    @Test
    @Tag("DL-4")
    void keys_arrive_in_their_order_through_failures_and_once_more_by_a_replay() {
        String id = shop.subscribe(TENANT, "flaky", "/flaky", ordered("CONTINUE"));
        List<String> keys = new ArrayList<>();
        for (int n = 0; n < 6; n++) {
            keys.addAll(List.of("a", "b", "c", "d", "e", "f", "g", "h"));
        }
        Instant before = Instant.now().minusSeconds(60);
        shop.recordKeyed(TENANT, keys);
        awaitDelivered(id, keys.size());
        int first = arrived("/flaky").size();
        expectOrder(arrived("/flaky"), 6);

        Instant after = Instant.now().plusSeconds(60);
        ObjectNode window = because().put("from", before.toString()).put("to", after.toString());
        window.putArray("states").add("delivered");
        shop.client.post(app("subscriptions/" + id + "/replays"), window).expect(202);
        await("all once more", () -> arrived("/flaky").size() >= first + keys.size());
        awaitDelivered(id, keys.size());
        List<JsonNode> all = arrived("/flaky");
        expectOrder(all.subList(first, all.size()), 6);
        assertThat(deliveries(id))
                .allSatisfy(d -> assertThat(d.path("outOfOrder").asBoolean())
                        .isEqualTo(d.path("orderingSequence").asInt() < 6));
    }

    private void awaitDelivered(String subscription, int count) {
        await("delivered", () -> {
            List<String> states = states(subscription);
            return states.size() == count && states.stream().allMatch("delivered"::equals);
        });
    }

    private static void expectOrder(List<JsonNode> arrived, int last) {
        Map<String, Integer> numbers = new HashMap<>();
        for (JsonNode body : arrived) {
            String key = body.path("orderingKey").asText();
            int before = numbers.getOrDefault(key, 0);
            assertThat(body.path("orderingSequence").asInt())
                    .as("%s after %s", body, before)
                    .isBetween(before, before + 1);
            numbers.put(key, body.path("orderingSequence").asInt());
        }
        assertThat(numbers)
                .hasSize(8)
                .allSatisfy((key, number) -> assertThat(number).isEqualTo(last));
    }
}
