package dev.ringfence.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ringfence.harness.HarnessLifecycle;
import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.RingfenceClient.Answer;
import dev.ringfence.harness.TestDatabase;
import dev.ringfence.signing.StandardWebhooks;
import dev.ringfence.signing.WebhookSecret;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.RunAsClient;
import org.jboss.arquillian.junit5.container.annotation.ArquillianTest;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The product's own receiver, on the real server. */
@ArquillianTest
@RunAsClient
@Tag("IN-1")
class InboxIT {

    private static final WebhookSecret SECRET = WebhookSecret.generate();
    private static final String APP = UUID.randomUUID().toString();

    @ArquillianResource
    private URI base;

    private final TestDatabase database = HarnessLifecycle.managedDatabase();
    private RingfenceClient admin;

    @Deployment
    static WebArchive war() {
        return HarnessLifecycle.war().addClass(CountingHandler.class);
    }

    @BeforeEach
    void register() {
        admin = new RingfenceClient(base.resolve("api/v1/"), HarnessLifecycle.ADMIN_KEY);
        ObjectNode consumer =
                RingfenceClient.object().put("scheme", "webhook-id").put("secret", SECRET.reveal());
        for (String name : List.of("plain", CountingHandler.CONSUMER)) {
            assertThat(admin.post("inbox-consumers", consumer.deepCopy().put("name", name))
                            .status())
                    .isIn(201, 409);
        }
        database.execute("create table if not exists ringfence.inbox_effects (event_id text not null)");
    }

    @Test
    @Tag("HT-2")
    void anEventIsStoredAndAcknowledged() {
        ObjectNode event = event(id());

        JsonNode first = post("plain", event).expect(200).body();
        JsonNode again = post("plain", event).expect(200).body();

        String receipt = first.at("/results/0/id").textValue();
        assertThat(receipt).matches("[0-9]{1,19}");
        assertThat(first.toString())
                .isEqualTo("{\"ok\":true,\"stored\":1,\"deduped\":0,\"scope\":\"app\",\"results\":[{\"appId\":\"" + APP
                        + "\",\"scope\":\"app\",\"id\":\"" + receipt + "\"}]}");
        assertThat(again.toString())
                .isEqualTo(first.toString().replace("\"stored\":1,\"deduped\":0", "\"stored\":0,\"deduped\":1"));
    }

    @Test
    @Tag("HT-2")
    void aBatchIsCountedPerEvent() {
        String known = id();
        post("plain", event(known)).expect(200);
        String fresh = id();
        ObjectNode batch = RingfenceClient.object();
        batch.putArray("events").add(event(fresh)).add(event(known)).add(event(fresh));

        JsonNode answer = post("plain", batch).expect(200).body();

        assertThat(answer.path("stored").asInt()).isEqualTo(1);
        assertThat(answer.path("deduped").asInt()).isEqualTo(2);
        assertThat(answer.at("/results/0/id")).isEqualTo(answer.at("/results/2/id"));
        assertThat(answer.at("/results/1/id")).isNotEqualTo(answer.at("/results/0/id"));
    }

    @Test
    void tenAtOnceStoreOneReceiptAndCallTheHandlerOnce() {
        String id = id();
        ExecutorService pool = Executors.newFixedThreadPool(10);
        try {
            List<CompletableFuture<Answer>> calls = IntStream.range(0, 10)
                    .mapToObj(i -> CompletableFuture.supplyAsync(() -> post(CountingHandler.CONSUMER, event(id)), pool))
                    .toList();
            List<Answer> answers = calls.stream().map(CompletableFuture::join).toList();

            assertThat(answers).extracting(Answer::status).containsOnly(200);
            assertThat(answers.stream()
                            .mapToInt(answer -> answer.body().path("stored").asInt())
                            .sum())
                    .isEqualTo(1);
        } finally {
            pool.shutdown();
        }
        assertThat(receipts(id)).isEqualTo(1);
        assertThat(effects(id)).isEqualTo(1);
    }

    @Test
    void eachConsumerHasItsOwnReceipts() {
        String id = id();

        assertThat(post("plain", event(id)).body().path("stored").asInt()).isEqualTo(1);
        assertThat(post(CountingHandler.CONSUMER, event(id))
                        .body()
                        .path("stored")
                        .asInt())
                .isEqualTo(1);
        assertThat(receipts(id)).isEqualTo(2);
        assertThat(effects(id)).isEqualTo(1);
    }

    @Test
    void aFailingHandlerLeavesNeitherReceiptNorEffectOfTheWholeRequest() {
        String good = id();
        String bad = CountingHandler.POISON + id();
        ObjectNode batch = RingfenceClient.object();
        batch.putArray("events").add(event(good)).add(event(bad));

        Answer answer = post(CountingHandler.CONSUMER, batch);

        assertThat(answer.status()).isEqualTo(500);
        assertThat(answer.code()).isEqualTo("INTERNAL");
        assertThat(answer.text()).doesNotContain("does not like").doesNotContain("Exception");
        assertThat(receipts(good) + receipts(bad) + effects(good) + effects(bad))
                .isZero();
        assertThat(post(CountingHandler.CONSUMER, event(good))
                        .body()
                        .path("stored")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    void onlySignedRequestsOfTheLastMinutesComeIn() {
        byte[] body = bytes(event(id()));
        long now = Instant.now().getEpochSecond();

        assertThat(post("plain", body, now, SECRET, body).status()).isEqualTo(200);
        assertThat(post("plain", body, now - 290, SECRET, body).status()).isEqualTo(200);
        for (Answer refused : List.of(
                post("plain", body, now - 310, SECRET, body),
                post("plain", body, now + 310, SECRET, body),
                post("plain", body, now, WebhookSecret.generate(), body),
                post("plain", body, now, SECRET, bytes(event(id()))),
                post("nobody", body, now, SECRET, body),
                unsigned("plain", body))) {
            assertThat(refused.status()).isEqualTo(401);
            assertThat(refused.code()).isEqualTo("UNAUTHENTICATED");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"appId", "eventId", "eventName", "occurredAt", "payload", "correlationId"})
    void requiredFieldsAreChecked(String field) {
        ObjectNode event = event(id());
        event.remove(field);
        Answer single = post("plain", event);
        ObjectNode batch = RingfenceClient.object();
        batch.putArray("events").add(event(id())).add(event);
        Answer second = post("plain", batch);

        assertThat(single.status()).isEqualTo(422);
        if (!field.equals("eventId")) {
            assertThat(single.body().at("/errors/0/pointer").asText()).isEqualTo("/" + field);
        }
        assertThat(second.status()).isEqualTo(422);
        assertThat(second.body().at("/errors/0/pointer").asText()).isEqualTo("/events/1/" + field);
    }

    @Test
    void batchesHaveOneToFiftyEvents() {
        ObjectNode none = RingfenceClient.object();
        none.putArray("events");
        ObjectNode many = RingfenceClient.object();
        var list = many.putArray("events");
        for (int i = 0; i < 50; i++) {
            list.add(event(id()));
        }
        assertThat(post("plain", many).expect(200).body().path("stored").asInt())
                .isEqualTo(50);
        list.add(event(id()));

        assertThat(post("plain", none).body().at("/errors/0/pointer").asText()).isEqualTo("/events");
        assertThat(post("plain", many).body().at("/errors/0/pointer").asText()).isEqualTo("/events");
    }

    @Test
    void unknownFieldsAreIgnored() {
        assertThat(post("plain", event(id()).put("fromTheFuture", 1)).status()).isEqualTo(200);
    }

    @Test
    @Tag("SC-2")
    void aConsumersSecretIsNeverShown() {
        assertThat(admin.get("inbox-consumers").expect(200).text())
                .contains("\"plain\"")
                .doesNotContain(SECRET.reveal())
                .doesNotContain("secret");
        ObjectNode bare = RingfenceClient.object()
                .put("name", "bare")
                .put("scheme", "webhook-id")
                .put("secret", "whsec_");
        assertThat(admin.post("inbox-consumers", bare)
                        .body()
                        .at("/errors/0/pointer")
                        .asText())
                .isEqualTo("/secret");
    }

    private long receipts(String id) {
        return database.number("select count(*) from ringfence.inbox_events where event_id = '" + id + "'");
    }

    private long effects(String id) {
        return database.number("select count(*) from ringfence.inbox_effects where event_id = '" + id + "'");
    }

    private Answer post(String consumer, JsonNode body) {
        byte[] bytes = bytes(body);
        return post(consumer, bytes, Instant.now().getEpochSecond(), SECRET, bytes);
    }

    private Answer post(String consumer, byte[] body, long timestamp, WebhookSecret secret, byte[] signed) {
        String id = "msg_" + UUID.randomUUID();
        return RingfenceClient.send(request(consumer, body)
                .header("webhook-id", id)
                .header("webhook-timestamp", Long.toString(timestamp))
                .header("webhook-signature", StandardWebhooks.sign(secret.key(), id, timestamp, signed))
                .build());
    }

    private Answer unsigned(String consumer, byte[] body) {
        return RingfenceClient.send(request(consumer, body).build());
    }

    private HttpRequest.Builder request(String consumer, byte[] body) {
        return HttpRequest.newBuilder(base.resolve("api/v1/inbox/" + consumer))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofByteArray(body));
    }

    private static byte[] bytes(JsonNode body) {
        return body.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static String id() {
        return "evt_" + UUID.randomUUID();
    }

    private static ObjectNode event(String id) {
        ObjectNode event = RingfenceClient.object()
                .put("appId", APP)
                .put("eventId", id)
                .put("eventName", "sales.order.placed.v1")
                .put("eventVersion", 1)
                .put("occurredAt", "2026-01-02T03:04:05.678Z")
                .put("recordedAt", "2026-01-02T03:04:06.000Z")
                .put("producer", "sales")
                .put("aggregateType", "order")
                .put("aggregateId", "o-1")
                .put("correlationId", "cor_x")
                .put("causationId", "req_x");
        event.putObject("actor").put("type", "system");
        event.putObject("payload").put("total", 1);
        event.putObject("metadata");
        return event;
    }
}
