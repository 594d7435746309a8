package dev.ringfence.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.RingfenceClient.Answer;
import dev.ringfence.harness.TestReceiver;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code GET …/deliveries} over deliveries that a server really made and ended. */
class DeliveriesIT {
    private static final String TENANT = "shop-1";
    private static final String CODE = "lastCode";

    @RegisterExtension
    static final DeliveryScene scene = new DeliveryScene("deliveries");

    /** The application that no test changes: one event, every end. */
    private static DeliveryScene.Shop ends;

    private static String event;

    @BeforeAll
    static void start() {
        ends = scene.shop().withEveryEnd(TENANT);
        event = ends.record(TENANT);
        ends.awaitEnds(1);
    }

    private static String path(String rest) {
        return "apps/" + ends.app + "/deliveries" + rest;
    }

    private static List<JsonNode> list(String query) {
        List<JsonNode> items = new ArrayList<>();
        ends.client.get(path(query)).expect(200).body().path("items").forEach(items::add);
        return items;
    }

    private static JsonNode of(String subscription) {
        return list("?subscription=" + ends.subscriptions.get(subscription)).get(0);
    }

    private static Set<String> names(String query) {
        Map<String, String> names = new HashMap<>();
        ends.subscriptions.forEach((name, id) -> names.put(id, name));
        Set<String> found = new TreeSet<>();
        list(query)
                .forEach(item -> assertThat(
                                found.add(names.get(item.path("subscriptionId").asText())))
                        .isTrue());
        return found;
    }

    @Test
    @Tag("DL-1")
    @Tag("AT-4")
    void each_end_is_listed_with_its_attempts() {
        assertThat(end("delivered")).isEqualTo("delivered null [1 ACKNOWLEDGED 200 null]");
        assertThat(end("receipt")).isEqualTo("delivered null [1 ACKNOWLEDGED 200 null]");
        assertThat(end("refused")).isEqualTo("dead REFUSED [1 FAILED 400 REFUSED]");
        assertThat(end("retrying")).isEqualTo("retrying SERVER_ERROR [1 UNCERTAIN 503 SERVER_ERROR]");
        assertThat(end("exhausted")).isEqualTo("dead EXHAUSTED [1 UNCERTAIN 503 SERVER_ERROR]");
        assertThat(end("denied")).isEqualTo("failed ACCESS_ABSENT []");
        assertThat(end("filtered")).isEqualTo("skipped_filter null []");

        assertThat(of("receipt").at("/attempts/0/receipt"))
                .isEqualTo(RingfenceClient.object()
                        .put("ok", true)
                        .put("stored", 1)
                        .put("deduped", 0)
                        .put("scope", "app")
                        .set(
                                "results",
                                RingfenceClient.JSON
                                        .createArrayNode()
                                        .add(RingfenceClient.object()
                                                .put("appId", ends.app)
                                                .put("scope", "app")
                                                .put("id", "4711"))));
        assertThat(of("delivered").at("/attempts/0").has("receipt")).isFalse();
    }

    private static String end(String subscription) {
        JsonNode delivery = of(subscription);
        List<String> attempts = new ArrayList<>();
        delivery.path("attempts")
                .forEach(attempt -> attempts.add(attempt.path("number").asInt() + " "
                        + attempt.path("state").asText() + " "
                        + attempt.path("httpStatus").asText() + " "
                        + attempt.path("code").asText("null")));
        return delivery.path("state").asText() + " " + delivery.path(CODE).asText("null") + " " + attempts;
    }

    @Test
    void fields_are_there_where_they_mean_something() {
        JsonNode detail = ends.client
                .get("apps/" + ends.app + "/events/" + event)
                .expect(200)
                .body();
        for (JsonNode item : list("")) {
            String state = item.path("state").asText();
            assertThat(item.path("id").asText()).matches("[1-9][0-9]*");
            assertThat(item.path("eventId").asText()).isEqualTo(event);
            assertThat(item.path("messageId").asText()).matches("msg_[0-9A-Za-z]{27}");
            assertThat(item.path("tenant").asText()).isEqualTo(TENANT);
            assertThat(item.path("cycle").asInt()).isEqualTo(1);
            assertThat(item.has("url")).as(state).isEqualTo(!state.equals("skipped_filter"));
            assertThat(item.path("url").asText(scene.receiver.url("/").toString()))
                    .startsWith(scene.receiver.url("/").toString());
            assertThat(item.path("bodySha256")).isEqualTo(detail.path("sha256"));
            assertThat(item.has("nextAttemptAt")).as(state).isEqualTo(state.equals("retrying"));
            assertThat(item.has("acceptedAt")).as(state).isEqualTo(state.equals("delivered"));
            assertThat(item.has("discarded")).isFalse();
            assertThat(at(item, "createdAt")).isBeforeOrEqualTo(at(item, "updatedAt"));
            item.path("attempts").forEach(attempt -> {
                assertThat(attempt.path("reservationId").asText()).matches("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
                assertThat(attempt.path("cycle").asInt()).isEqualTo(1);
                assertThat(attempt.path("counted").asBoolean()).isTrue();
                assertThat(at(attempt, "startedAt")).isBeforeOrEqualTo(at(attempt, "finishedAt"));
            });
            assertThat(ends.client
                            .get(path("/" + item.path("id").asText()))
                            .expect(200)
                            .body())
                    .as("the one read alone")
                    .isEqualTo(item);
        }
        assertThat(at(of("retrying"), "nextAttemptAt"))
                .isAfter(at(of("retrying"), "updatedAt").plus(Duration.ofMinutes(59)));
    }

    private static Instant at(JsonNode node, String field) {
        return Instant.parse(node.path(field).asText());
    }

    @Test
    void the_newest_comes_first() {
        List<Long> ids = list("").stream().map(item -> item.path("id").asLong()).toList();

        assertThat(ids)
                .hasSize(7)
                .isSortedAccordingTo(Comparator.reverseOrder())
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @CsvSource({
        "state=pending,",
        "state=retrying, retrying",
        "state=delivered, delivered receipt",
        "state=failed, denied",
        "state=dead, refused exhausted",
        "state=skipped_filter, filtered",
        "tenant=shop-1&state=dead, refused exhausted",
        "tenant=shop-2,",
        "tenant=never-enrolled,",
        "subscription={refused}, refused",
        "subscription={refused}&tenant=shop-1, refused",
        "subscription={refused}&tenant=never-enrolled,",
        "subscription={refused}&state=dead, refused",
        "subscription={refused}&state=delivered,",
        "subscription={refused}&eventId={event}&from=2026-01-01T00:00:00Z&to=9999-01-01T00:00:00Z, refused",
        "subscription=00000000-0000-4000-8000-000000000000,",
        "eventId={event}, delivered receipt refused retrying exhausted denied filtered",
        "eventId=evt_unknown,",
        "from=9999-01-01T00:00:00Z,",
        "to=2026-01-01T00:00:00Z,",
        "from=2026-01-01T01:00:00%2B01:00&state=failed, denied",
    })
    void filters_take_what_they_say(String query, String expected) {
        String filled = query.replace("{event}", event).replace("{refused}", ends.subscriptions.get("refused"));

        assertThat(names("?" + filled))
                .isEqualTo(expected == null ? Set.of() : new TreeSet<>(List.of(expected.split(" "))));
    }

    @Test
    void the_window_of_time_has_its_beginning_and_not_its_end() {
        DeliveryScene.Shop shop = scene.shop();
        shop.subscribe(TENANT, "one", "/take", RingfenceClient.object());
        shop.record(TENANT);
        shop.awaitEnds(1);
        shop.record(TENANT);
        shop.awaitEnds(2);
        JsonNode both = shop.client
                .get("apps/" + shop.app + "/deliveries")
                .expect(200)
                .body()
                .path("items");
        String second = both.at("/0/createdAt").asText();
        String first = both.at("/1/createdAt").asText();

        assertThat(ids(shop, "?from=" + second))
                .containsExactly(both.at("/0/id").asText());
        assertThat(ids(shop, "?to=" + second)).containsExactly(both.at("/1/id").asText());
        assertThat(ids(shop, "?from=" + first + "&to=" + second))
                .containsExactly(both.at("/1/id").asText());
        assertThat(ids(shop, "?from=" + first)).hasSize(2);
        assertThat(ids(shop, "?from=" + second + "&to=" + first)).isEmpty();
    }

    private static List<String> ids(DeliveryScene.Shop shop, String query) {
        List<String> ids = new ArrayList<>();
        shop.client
                .get("apps/" + shop.app + "/deliveries" + query)
                .expect(200)
                .body()
                .path("items")
                .forEach(item -> ids.add(item.path("id").asText()));
        return ids;
    }

    @ParameterizedTest
    @Tag("SC-3")
    @CsvSource({
        "state=lost, INVALID, /state",
        "state=, INVALID, /state",
        "state=DEAD, INVALID, /state",
        "limit=0, INVALID, /limit",
        "limit=201, INVALID, /limit",
        "limit=-1, INVALID, /limit",
        "limit=1e1, INVALID, /limit",
        "limit=, INVALID, /limit",
        "from=yesterday, INVALID, /from",
        "from=2026-01-01, INVALID, /from",
        "from=2026-01-01T00:00:00, INVALID, /from",
        "from=2026-02-30T00:00:00Z, INVALID, /from",
        "to=10000-01-01T00:00:00Z, INVALID, /to",
        "to=, INVALID, /to",
        "subscription=orders, INVALID, /subscription",
        "subscription=, INVALID, /subscription",
        "tenant=, INVALID, /tenant",
        "tenant=never-enrolled&limit=x, INVALID, /limit",
        "tenant=never-enrolled&state=lost, INVALID, /state",
        "tenant=never-enrolled&cursor=x, INVALID_CURSOR,",
        "cursor=x, INVALID_CURSOR,",
        "cursor=MQo, INVALID_CURSOR,",
        "cursor=YWJj, INVALID_CURSOR,",
        "cursor=OTk5OTk5OTk5OTk5OTk5OTk5OTk, INVALID_CURSOR,",
        "status=dead, INVALID, /status",
        "state=dead&state=failed, INVALID, /state",
    })
    void a_parameter_that_cannot_be_read_is_named(String query, String code, String pointer) {
        Answer answer = ends.client.get(path("?" + query));

        assertThat(answer.status()).as(answer.text()).isEqualTo(422);
        assertThat(answer.code()).isEqualTo(code);
        assertThat(answer.header("Content-Type")).contains("application/problem+json");
        assertThat(answer.body().at("/errors/0/pointer").asText(null)).isEqualTo(pointer);
    }

    @Test
    @Tag("SC-1")
    void another_application_sees_none_of_them() {
        DeliveryScene.Shop stranger = scene.shop();
        String id = of("delivered").path("id").asText();

        assertThat(stranger.client.get(path("")).status()).isEqualTo(404);
        assertThat(stranger.client.get(path("/" + id)).status()).isEqualTo(404);
        for (RingfenceClient caller : List.of(stranger.client, scene.admin())) {
            String own = "apps/" + stranger.app + "/deliveries";
            Answer foreign = caller.get(own + "/" + id);
            assertThat(foreign.status()).isEqualTo(404);
            assertThat(foreign.code()).isEqualTo("NOT_FOUND");
            for (String query : List.of(
                    "",
                    "?eventId=" + event,
                    "?tenant=" + TENANT,
                    "?subscription=" + ends.subscriptions.get("refused"))) {
                assertThat(caller.get(own + query).expect(200).body().path("items"))
                        .as(query)
                        .isEmpty();
            }
        }
        for (String role : List.of("client", "operator", "auditor", "admin")) {
            RingfenceClient own = scene.admin().as(scene.admin().createKey(ends.app, role, role));
            own.get(path("/" + id)).expect(200);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"0", "-1", "01", "1e3", "x", "1.5", "999999999999999999", "99999999999999999999", "%20", "9%2F9"
            })
    void what_is_no_delivery_is_not_found(String id) {
        Answer answer = ends.client.get(path("/" + id));

        assertThat(answer.status()).as(answer.text()).isEqualTo(404);
        assertThat(answer.code()).isEqualTo("NOT_FOUND");
    }

    @Test
    @Tag("AT-1")
    void a_request_under_way_is_a_pending_delivery_that_is_sending() {
        CountDownLatch hold = new CountDownLatch(1);
        DeliveryScene.Shop shop = scene.shop();
        try (TestReceiver slow = TestReceiver.start()
                .answering(request -> TestReceiver.Answer.status(200).heldBy(hold))) {
            shop.subscribe(
                    TENANT,
                    "slow",
                    "/",
                    RingfenceClient.object().put("url", slow.url("/").toString()));
            shop.record(TENANT);
            Awaitility.await("the request").until(() -> slow.count() == 1);

            JsonNode item = shop.client
                    .get("apps/" + shop.app + "/deliveries")
                    .expect(200)
                    .body()
                    .at("/items/0");
            hold.countDown();

            assertThat(item.path("state").asText()).isEqualTo("pending");
            assertThat(item.at("/attempts/0/state").asText()).isEqualTo("SENDING");
            assertThat(item.at("/attempts/0").has("finishedAt")).isFalse();
            shop.awaitEnds(1);
        }
    }

    /** Ended deliveries move to other partitions while somebody pages through them, and new ones come. */
    @Test
    void pages_lose_and_repeat_nothing_while_deliveries_end_and_begin() {
        DeliveryScene.Shop shop = scene.shop();
        CountDownLatch hold = new CountDownLatch(1);
        try (TestReceiver slow = TestReceiver.start()
                .answering(request -> request.path().equals("/slow")
                        ? TestReceiver.Answer.status(200).heldBy(hold)
                        : TestReceiver.Answer.status(200))) {
            shop.subscribe(
                    TENANT,
                    "slow",
                    "/",
                    RingfenceClient.object().put("url", slow.url("/slow").toString()));
            shop.recordAll(TENANT, 9);
            Awaitility.await("all are under way").until(() -> slow.count() == 9);
            List<String> expected = ids(shop, "?limit=200");
            assertThat(expected).hasSize(9);

            String page = "apps/" + shop.app + "/deliveries?limit=2";
            List<String> seen = new ArrayList<>();
            Set<String> states = new TreeSet<>();
            String cursor = "";
            for (int pages = 1; cursor != null; pages++) {
                JsonNode body = shop.client.get(page + cursor).expect(200).body();
                body.path("items").forEach(item -> {
                    seen.add(item.path("id").asText());
                    states.add(item.path("state").asText());
                });
                assertThat(body.path("items")).hasSize(pages == 5 ? 1 : 2);
                cursor = body.path("next").isNull()
                        ? null
                        : "&cursor=" + body.path("next").asText();
                if (pages == 2) {
                    hold.countDown();
                    shop.awaitEnds(9);
                    shop.recordAll(TENANT, 3);
                    shop.awaitEnds(12);
                }
            }

            assertThat(seen).isEqualTo(expected);
            assertThat(states).containsExactly("delivered", "pending");
        } finally {
            hold.countDown();
        }
    }
}
