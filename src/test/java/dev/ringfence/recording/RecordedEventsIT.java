package dev.ringfence.recording;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.delivery.DeliveryScene;
import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.RingfenceClient.Answer;
import dev.ringfence.harness.TestReceiver;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code GET …/events/{eventId}} and its receipts, of events that a server really delivered, failed to deliver, or gave up. */
class RecordedEventsIT {
    private static final String TENANT = "shop-1";

    @RegisterExtension
    static final DeliveryScene scene = new DeliveryScene("recorded-events");

    private static DeliveryScene.Shop shop;
    private static String event;

    @BeforeAll
    static void start() {
        shop = scene.shop().withEveryEnd(TENANT);
        shop.subscribe(TENANT, "second", "/second", RingfenceClient.object());
        event = shop.record(TENANT);
        shop.awaitEnds(1);
    }

    private static String path(String rest) {
        return "apps/" + shop.app + "/events" + rest;
    }

    private static List<JsonNode> receipts(String query) {
        List<JsonNode> items = new ArrayList<>();
        shop.client
                .get(path("/" + event + "/receipts" + query))
                .expect(200)
                .body()
                .path("items")
                .forEach(items::add);
        return items;
    }

    private static String nameOf(JsonNode item) {
        Map<String, String> names = new HashMap<>();
        shop.subscriptions.forEach((name, id) -> names.put(id, name));
        return names.get(item.path("subscriptionId").asText());
    }

    @Test
    @Tag("RC-5")
    @Tag("SB-4")
    void the_detail_shows_the_bytes_that_receivers_got_and_each_delivery() {
        JsonNode detail = shop.client.get(path("/" + event)).expect(200).body();

        Map<String, String> states = new TreeMap<>();
        List<Long> ids = new ArrayList<>();
        detail.path("deliveries").forEach(line -> {
            assertThat(line.properties()).hasSize(3);
            states.put(nameOf(line), line.path("state").asText());
            ids.add(line.path("id").asLong());
            JsonNode delivery = shop.client
                    .get("apps/" + shop.app + "/deliveries/" + line.path("id").asText())
                    .expect(200)
                    .body();
            assertThat(delivery.path("subscriptionId")).isEqualTo(line.path("subscriptionId"));
            assertThat(delivery.path("state")).isEqualTo(line.path("state"));
        });
        assertThat(states)
                .containsOnly(
                        Map.entry("delivered", "delivered"),
                        Map.entry("denied", "failed"),
                        Map.entry("exhausted", "dead"),
                        Map.entry("filtered", "skipped_filter"),
                        Map.entry("receipt", "delivered"),
                        Map.entry("refused", "dead"),
                        Map.entry("retrying", "retrying"),
                        Map.entry("second", "delivered"));
        assertThat(ids).isSorted().doesNotHaveDuplicates();
        assertThat(detail.path("status").asText()).isEqualTo("PUBLISHED");
        assertThat(detail.at("/envelope/eventId").asText()).isEqualTo(event);
        byte[] bytes = Base64.getDecoder().decode(detail.path("bytes").asText());
        List<TestReceiver.Request> seen = scene.receiver.requests().stream()
                .filter(request -> request.text().contains(event))
                .toList();
        assertThat(seen)
                .hasSize(6)
                .allSatisfy(request -> assertThat(request.body()).isEqualTo(bytes));
    }

    @Test
    @Tag("AT-2")
    @Tag("HT-2")
    void receipts_are_what_was_acknowledged_and_nothing_else() {
        List<JsonNode> receipts = receipts("");

        assertThat(receipts.stream().map(RecordedEventsIT::nameOf))
                .containsExactlyInAnyOrder("delivered", "receipt", "second");
        assertThat(receipts.stream().map(receipt -> receipt.path("deliveryId").asLong()))
                .isSortedAccordingTo(Comparator.naturalOrder());
        for (JsonNode receipt : receipts) {
            JsonNode attempt = shop.client
                    .get("apps/" + shop.app + "/deliveries/"
                            + receipt.path("deliveryId").asText())
                    .expect(200)
                    .body()
                    .at("/attempts/0");
            for (String field : List.of("reservationId", "number", "cycle", "startedAt", "finishedAt", "httpStatus")) {
                assertThat(receipt.path(field))
                        .as(field)
                        .isEqualTo(attempt.path(field))
                        .isNotEqualTo(RingfenceClient.object().path("absent"));
            }
            assertThat(receipt.path("late").asBoolean(true)).isFalse();
            assertThat(receipt.has("receipt")).isEqualTo(nameOf(receipt).equals("receipt"));
            assertThat(receipt.path("receipt")).isEqualTo(attempt.path("receipt"));
        }
        JsonNode own = receipts.stream()
                .filter(r -> nameOf(r).equals("receipt"))
                .findFirst()
                .orElseThrow()
                .path("receipt");
        assertThat(own.path("stored").asInt()).isEqualTo(1);
        assertThat(own.at("/results/0/id").asText()).isEqualTo("4711");
    }

    @Test
    void receipts_page_by_cursor() {
        List<JsonNode> all = receipts("");
        List<JsonNode> paged = new ArrayList<>();
        String cursor = "";
        do {
            JsonNode page = shop.client
                    .get(path("/" + event + "/receipts?limit=1" + cursor))
                    .expect(200)
                    .body();
            assertThat(page.path("items")).hasSize(1);
            paged.add(page.at("/items/0"));
            cursor = page.path("next").isNull()
                    ? ""
                    : "&cursor=" + page.path("next").asText();
        } while (!cursor.isEmpty());

        assertThat(paged).isEqualTo(all);
        assertThat(receipts("?limit=3")).isEqualTo(all);
    }

    /** An answer that came after its attempt had been given up is history, and no delivery (AT-8). */
    @Test
    @Tag("AT-8")
    void a_late_acknowledgement_is_a_receipt_that_says_so() {
        DeliveryScene.Shop late = scene.shop();
        late.subscribe(TENANT, "busy", "/busy", DeliveryScene.waits(3_600));
        String recorded = late.record(TENANT);
        late.awaitEnds(1);
        String receipts = "apps/" + late.app + "/events/" + recorded + "/receipts";
        assertThat(late.client.get(receipts).expect(200).body().path("items")).isEmpty();

        scene.database.execute("update delivery_attempts set late_state = 'ACKNOWLEDGED', late_status = 202, late_at ="
                + " '2031-01-02T03:04:05Z' where delivery_id = (select id from deliveries where app_id = '" + late.app
                + "')");

        JsonNode receipt = late.client.get(receipts).expect(200).body().at("/items/0");
        assertThat(receipt.path("late").asBoolean()).isTrue();
        assertThat(receipt.path("httpStatus").asInt()).isEqualTo(202);
        assertThat(Instant.parse(receipt.path("finishedAt").asText())).isEqualTo("2031-01-02T03:04:05Z");
        assertThat(late.client
                        .get("apps/" + late.app + "/events/" + recorded)
                        .body()
                        .at("/deliveries/0/state")
                        .asText())
                .isEqualTo("retrying");
    }

    @Test
    void an_event_nobody_asked_for_has_neither_deliveries_nor_receipts() {
        DeliveryScene.Shop alone = scene.shop();
        String recorded = alone.record(TENANT);
        alone.awaitEnds(1);
        String own = "apps/" + alone.app + "/events/" + recorded;

        JsonNode detail = alone.client.get(own).expect(200).body();
        assertThat(detail.path("status").asText()).isEqualTo("PUBLISHED");
        assertThat(detail.path("deliveries").isArray()).isTrue();
        assertThat(detail.path("deliveries")).isEmpty();
        Answer receipts = alone.client.get(own + "/receipts").expect(200);
        assertThat(receipts.text()).isEqualTo("{\"items\":[],\"next\":null}");
    }

    @Test
    @Tag("SC-1")
    void another_application_finds_neither_the_event_nor_its_receipts() {
        DeliveryScene.Shop stranger = scene.shop();

        for (String part : List.of("", "/receipts")) {
            assertThat(stranger.client.get(path("/" + event + part)).status()).isEqualTo(404);
            for (RingfenceClient caller : List.of(stranger.client, scene.admin())) {
                Answer answer = caller.get("apps/" + stranger.app + "/events/" + event + part);
                assertThat(answer.status()).isEqualTo(404);
                assertThat(answer.code()).isEqualTo("NOT_FOUND");
            }
            for (String role : List.of("client", "operator", "auditor", "admin")) {
                RingfenceClient own = scene.admin().as(scene.admin().createKey(shop.app, role, role));
                own.get(path("/" + event + part)).expect(200);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"evt_unknown", "x", "%20", "evt_%C3%A4", "EVT", "0"})
    void what_is_no_event_is_not_found(String id) {
        assertThat(shop.client.get(path("/" + id)).code()).isEqualTo("NOT_FOUND");
        assertThat(shop.client.get(path("/" + id + "/receipts")).code()).isEqualTo("NOT_FOUND");
    }

    @ParameterizedTest
    @Tag("SC-3")
    @CsvSource({
        "/{event}?deliveries=true, INVALID, /deliveries",
        "/{event}/receipts?limit=0, INVALID, /limit",
        "/{event}/receipts?limit=999, INVALID, /limit",
        "/{event}/receipts?cursor=MQ, INVALID_CURSOR,",
        "/{event}/receipts?cursor=YQpi, INVALID_CURSOR,",
        "/{event}/receipts?state=late, INVALID, /state",
        "/evt_unknown/receipts?limit=x, INVALID, /limit",
        "?status=SENT, INVALID, /status",
        "?status=published, INVALID, /status",
        "?from=now, INVALID, /from",
        "?to=2026-13-01T00:00:00Z, INVALID, /to",
        "?tenant=, INVALID, /tenant",
        "?tenant=never-enrolled&limit=x, INVALID, /limit",
        "?tenant=never-enrolled&cursor=x, INVALID_CURSOR,",
        "?cursor=MQox, INVALID_CURSOR,",
        "?cursor=MjAyNi0wMS0wMVQwMDowMDowMFoKeA, INVALID_CURSOR,",
        "?eventName=x, INVALID, /eventName",
        "?name=a&name=b, INVALID, /name",
    })
    void a_parameter_that_cannot_be_read_is_named(String query, String code, String pointer) {
        Answer answer = shop.client.get(path(query.replace("{event}", event)));

        assertThat(answer.status()).as(answer.text()).isEqualTo(422);
        assertThat(answer.code()).isEqualTo(code);
        assertThat(answer.header("Content-Type")).contains("application/problem+json");
        assertThat(answer.body().at("/errors/0/pointer").asText(null)).isEqualTo(pointer);
    }

    @Test
    void a_search_finds_published_events_by_what_became_of_them() {
        JsonNode published = shop.client
                .get(path("?status=PUBLISHED&tenant=" + TENANT))
                .expect(200)
                .body();
        assertThat(published.path("items")).hasSize(1);
        assertThat(published.at("/items/0/eventId").asText()).isEqualTo(event);
        assertThat(Instant.parse(published.at("/items/0/publishedAt").asText()))
                .isAfterOrEqualTo(
                        Instant.parse(published.at("/items/0/recordedAt").asText()));
        assertThat(shop.client.get(path("?status=PENDING")).expect(200).body().path("items"))
                .isEmpty();
    }
}
