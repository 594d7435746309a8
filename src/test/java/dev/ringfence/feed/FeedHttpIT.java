package dev.ringfence.feed;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ringfence.harness.HarnessLifecycle;
import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.RingfenceClient.Answer;
import dev.ringfence.harness.TestDatabase;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.RunAsClient;
import org.jboss.arquillian.junit5.container.annotation.ArquillianTest;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Feeds over HTTP in the real server, from recording to the cursor. */
@ArquillianTest
@RunAsClient
class FeedHttpIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @ArquillianResource
    private URI base;

    private final TestDatabase database = HarnessLifecycle.managedDatabase();
    private final String tenant = "shop-" + UUID.randomUUID();
    private RingfenceClient admin;
    private RingfenceClient client;
    private String app;
    private String epoch;
    private String subscription;

    @Deployment
    static WebArchive war() {
        return HarnessLifecycle.war();
    }

    @BeforeEach
    void subscribe() {
        admin = new RingfenceClient(base.resolve("api/v1/"), HarnessLifecycle.ADMIN_KEY);
        app = admin.createApp("feeds");
        client = admin.as(admin.createKey(app, "reader", "client"));
        epoch = admin.enrol(app, tenant);
        subscription = subscribed().path("id").asText();
    }

    private JsonNode subscribed() {
        return admin.post(
                        "apps/" + app + "/tenants/" + tenant + "/subscriptions",
                        RingfenceClient.object().put("name", "reader").put("mode", "PULL"))
                .expect(201)
                .body();
    }

    private String path(String rest) {
        return "apps/" + app + "/subscriptions/" + subscription + rest;
    }

    private List<String> record(int count) {
        List<ObjectNode> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ObjectNode event = RingfenceClient.object()
                    .put("name", "order.order.placed.v1")
                    .put("aggregateType", "order")
                    .put("aggregateId", "order-" + i)
                    .put("occurredAt", "2026-11-01T10:00:00.000Z");
            event.putObject("actor").put("type", "system");
            event.putObject("payload").put("name", "Zoë \u2028 \uD83D\uDE00");
            events.add(event);
        }
        List<String> ids = new ArrayList<>();
        client.record(app, tenant, epoch, events)
                .expect(202)
                .body()
                .path("results")
                .forEach(result -> ids.add(result.path("eventId").asText()));
        return ids;
    }

    private JsonNode feed(String query) {
        return client.get(path("/feed" + query)).expect(200).body();
    }

    /** A page once so many can be read; polls, as each answer waits for the first only. */
    private JsonNode awaitItems(int count) {
        Awaitility.await("items of the feed")
                .atMost(PATIENCE)
                .until(() -> feed("?waitMs=5000").path("items").size() >= count);
        return feed("");
    }

    private Answer advance(RingfenceClient by, String from, String to) {
        return by.put(
                path("/cursor"), RingfenceClient.object().put("from", from).put("to", to));
    }

    private static List<String> events(JsonNode page) {
        return page.path("items").findValuesAsText("eventId").stream()
                .distinct()
                .toList();
    }

    @Test
    @Tag("PL-1")
    @Tag("DL-1")
    void whatIsRecordedIsFetchedWithItsBytesAndDeliveredByTheCursor() throws Exception {
        List<String> ids = record(3);
        JsonNode page = awaitItems(3);
        assertThat(events(page)).containsExactlyInAnyOrderElementsOf(ids);
        JsonNode item = page.at("/items/0");
        JsonNode detail = client.get(
                        "apps/" + app + "/events/" + item.path("eventId").asText())
                .expect(200)
                .body();
        assertThat(item.path("sha256")).isEqualTo(detail.path("sha256"));
        String exact =
                new String(Base64.getDecoder().decode(detail.path("bytes").asText()), "UTF-8");
        assertThat(client.get(path("/feed")).text()).contains("\"envelope\":" + exact + "}");
        assertThat(item.path("ordinal")).isEqualTo(detail.path("ordinal"));
        assertThat(deliveries()).allSatisfy(delivery -> {
            assertThat(delivery.path("state").asText()).isEqualTo("pending");
            assertThat(delivery.has("nextAttemptAt")).isFalse();
            assertThat(delivery.has("url")).isFalse();
        });

        String from = page.path("committed").asText();
        String to = page.path("cursor").asText();
        JsonNode moved = advance(client, from, to).expect(200).body();
        assertThat(moved.path("cursor").asText()).isEqualTo(to);
        assertThat(moved.path("delivered").asInt()).isEqualTo(3);
        assertThat(deliveries()).hasSize(3).allSatisfy(delivery -> {
            assertThat(delivery.path("state").asText()).isEqualTo("delivered");
            assertThat(delivery.has("acceptedAt")).isTrue();
            assertThat(delivery.path("attempts")).isEmpty();
        });

        Answer late = advance(client, from, to).expect(409);
        assertThat(late.code()).isEqualTo("CURSOR_MOVED");
        assertThat(late.header("Content-Type")).contains("application/problem+json");
        assertThat(late.body().path("cursor").asText()).isEqualTo(to);
        JsonNode rest = feed("");
        assertThat(rest.path("items")).isEmpty();
        assertThat(rest.path("cursor").asText()).isEqualTo(to);
    }

    private List<JsonNode> deliveries() {
        List<JsonNode> items = new ArrayList<>();
        client.get("apps/" + app + "/deliveries?subscription=" + subscription)
                .expect(200)
                .body()
                .path("items")
                .forEach(items::add);
        return items;
    }

    @Test
    @Tag("PL-3")
    void aRequestThatWaitsIsAnsweredByACommitOrWithNothing() throws Exception {
        Answer nothing = client.get(path("/feed?waitMs=300")).expect(200);
        assertThat(nothing.body().path("items")).isEmpty();
        assertThat(nothing.body().path("cursor")).isEqualTo(nothing.body().path("committed"));
        for (Answer answer : List.of(nothing, client.get(path("/feed")))) {
            assertThat(answer.header("Ringfence-Correlation-Id").orElse("")).startsWith("cor_");
            assertThat(answer.header("X-Content-Type-Options")).contains("nosniff");
            assertThat(answer.header("Content-Type").orElse("")).startsWith("application/json");
        }

        List<CompletableFuture<Answer>> waiting = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            waiting.add(CompletableFuture.supplyAsync(() -> client.get(path("/feed?waitMs=25000"))));
        }
        List<String> ids = record(1);
        for (CompletableFuture<Answer> poll : waiting) {
            assertThat(events(poll.get(1, TimeUnit.MINUTES).expect(200).body())).isEqualTo(ids);
        }
    }

    @Test
    @Tag("PL-3")
    @Tag("PL-1")
    void pagesWaitsCursorsAndRolesHaveLimits() {
        for (String query : List.of("?limit=0", "?limit=201", "?waitMs=30001", "?waitMs=-1", "?waitMs=x", "?wait=1")) {
            assertThat(client.get(path("/feed" + query)).expect(422).code())
                    .as(query)
                    .isEqualTo("INVALID");
        }
        assertThat(client.get(path("/feed?cursor=garbage")).expect(422).code()).isEqualTo("INVALID_CURSOR");
        String cursor = feed("").path("cursor").asText();
        for (var wrong : Map.of("/to", advance(client, cursor, "garbage"), "/from", advance(client, "garbage", cursor))
                .entrySet()) {
            var answer = wrong.getValue().expect(422);
            assertThat(answer.code()).isEqualTo("INVALID_CURSOR");
            assertThat(answer.body().at("/errors/0/pointer").asText()).isEqualTo(wrong.getKey());
        }
        assertThat(client.put(path("/cursor"), RingfenceClient.object().put("to", cursor))
                        .expect(422)
                        .body()
                        .at("/errors/0/pointer")
                        .asText())
                .isEqualTo("/from");

        RingfenceClient auditor = admin.as(admin.createKey(app, "auditor", "auditor"));
        auditor.get(path("/feed")).expect(200);
        advance(auditor, cursor, cursor).expect(403);
        RingfenceClient stranger = admin.as(admin.createKey(admin.createApp("stranger"), "reader", "client"));
        assertThat(stranger.get(path("/feed?waitMs=5000")).status()).isEqualTo(404);
        assertThat(advance(stranger, cursor, cursor).status()).isEqualTo(404);
        RingfenceClient operator = admin.as(admin.createKey(app, "operator", "operator"));
        operator.get(path("/feed")).expect(403);

        subscription = admin.post(
                        "apps/" + app + "/tenants/" + tenant + "/subscriptions",
                        RingfenceClient.object()
                                .put("name", "hook")
                                .put("mode", "PUSH")
                                .put("url", "https://1.1.1.1/in"))
                .expect(201)
                .body()
                .path("id")
                .asText();
        assertThat(client.get(path("/feed")).expect(409).code()).isEqualTo("NOT_PULL");
        assertThat(advance(client, cursor, cursor).expect(409).code()).isEqualTo("NOT_PULL");
    }

    @Test
    @Tag("PL-1")
    @Tag("SB-3")
    void aPausedFeedKeepsWhatWaitsAndADisabledOneIsRefused() throws Exception {
        List<String> ids = record(1);
        awaitItems(1);
        admin.post(path("/pause"), RingfenceClient.object()).expect(200);
        record(1);
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() ->
                        database.number("select count(*) from outbox_events where status = 'PUBLISHED' and app_id = '"
                                        + app + "'")
                                == 2);
        JsonNode page = feed("");
        assertThat(events(page)).isEqualTo(ids);

        CompletableFuture<Answer> poll = CompletableFuture.supplyAsync(() -> client.get(
                path("/feed?waitMs=25000&cursor=" + page.path("cursor").asText())));
        database.execute("update subscriptions set status = 'DISABLED', disabled_reason = 'TEST' where id = '"
                + subscription + "'");

        Answer told = poll.get(1, TimeUnit.MINUTES).expect(409);
        assertThat(told.code()).isEqualTo("SUBSCRIPTION_DISABLED");
        assertThat(told.header("Content-Type")).contains("application/problem+json");
        assertThat(told.header("Ringfence-Correlation-Id"))
                .contains(told.body().path("correlationId").asText());
        String cursor = page.path("cursor").asText();
        assertThat(advance(client, page.path("committed").asText(), cursor)
                        .expect(409)
                        .code())
                .isEqualTo("SUBSCRIPTION_DISABLED");
        admin.post(path("/resume"), RingfenceClient.object()).expect(200);
        assertThat(events(feed(""))).isEqualTo(ids);
    }

    @Test
    @Tag("PL-2")
    @Tag("OP-1")
    void whatAnOperatorPutsBackIsFetchedAgain() {
        List<String> ids = record(2);
        JsonNode page = awaitItems(2);
        advance(client, page.path("committed").asText(), page.path("cursor").asText())
                .expect(200);
        String delivery = page.at("/items/0/deliveryId").asText();

        admin.post(
                        "apps/" + app + "/deliveries/" + delivery + "/retry",
                        RingfenceClient.object().put("reason", "the reader lost it"))
                .expect(202);

        JsonNode again = awaitItems(1);
        assertThat(again.at("/items/0/deliveryId").asText()).isEqualTo(delivery);
        assertThat(again.at("/items/0/cycle").asInt()).isEqualTo(2);
        assertThat(again.path("items")).hasSize(1);
        assertThat(ids).contains(again.at("/items/0/eventId").asText());
        assertThat(advance(
                                client,
                                again.path("committed").asText(),
                                again.path("cursor").asText())
                        .expect(200)
                        .body()
                        .path("delivered")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    @Tag("PL-2")
    @Tag("RD-4")
    void aRedactionErasesTheFeedAndMakesItsCursorsStale() {
        record(2);
        JsonNode page = awaitItems(2);
        String cursor = page.path("cursor").asText();
        String redaction = admin.post(
                        "apps/" + app + "/tenants/" + tenant + "/redactions",
                        RingfenceClient.object().put("reason", "the customer asked for it"))
                .expect(202)
                .body()
                .path("id")
                .asText();
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> admin.get("apps/" + app + "/redactions/" + redaction)
                        .body()
                        .path("status")
                        .asText()
                        .equals("DONE"));

        assertThat(client.get(path("/feed?cursor=" + cursor)).status()).isEqualTo(404);
        assertThat(database.number("select count(*) from feed_cursors c where not exists"
                        + " (select from subscriptions s where s.id = c.subscription_id)"))
                .isZero();
        assertThat(database.number("select count(*) from deliveries where app_id = '" + app + "'"))
                .isZero();
        Awaitility.await("the tenant can be enrolled again")
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> {
                    try {
                        epoch = admin.enrol(app, tenant);
                        return true;
                    } catch (AssertionError early) {
                        return false;
                    }
                });
        subscription = subscribed().path("id").asText();
        assertThat(client.get(path("/feed?cursor=" + cursor)).expect(409).code())
                .isEqualTo("CURSOR_STALE");
        assertThat(advance(client, cursor, cursor).expect(409).code()).isEqualTo("CURSOR_STALE");
        assertThat(feed("").path("items")).isEmpty();
    }

    @Test
    @Tag("SB-7")
    void aTestEventComesMarkedAndThereIsNoSecretToRotate() {
        admin.post(path("/test"), RingfenceClient.object()).expect(202);
        JsonNode item = awaitItems(1).at("/items/0");
        assertThat(item.path("test").asBoolean()).isTrue();
        assertThat(item.at("/envelope/payload/test").asBoolean()).isTrue();
        assertThat(admin.post(path("/rotate-secret"), RingfenceClient.object().put("graceSeconds", 0))
                        .expect(409)
                        .code())
                .isEqualTo("NOT_SIGNED");
    }
}
