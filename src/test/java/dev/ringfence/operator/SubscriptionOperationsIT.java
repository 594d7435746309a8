package dev.ringfence.operator;

import static dev.ringfence.delivery.DeliveryScene.await;
import static dev.ringfence.delivery.DeliveryScene.because;
import static dev.ringfence.harness.RingfenceClient.object;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ringfence.delivery.DeliveryScene;
import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.RingfenceClient.Answer;
import dev.ringfence.harness.TestReceiver;
import dev.ringfence.signing.StandardWebhooks;
import dev.ringfence.signing.WebhookSecret;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What operators do to subscriptions and deliveries, on a server that really delivers. */
class SubscriptionOperationsIT {
    private static final String TENANT = "shop-1";

    @RegisterExtension
    static final DeliveryScene scene = new DeliveryScene("operations");

    private DeliveryScene.Shop shop;
    private String path;

    @BeforeEach
    void open() {
        shop = scene.shop();
        path = "/" + UUID.randomUUID();
    }

    private String one(String subscription) {
        return "apps/" + shop.app + "/subscriptions/" + subscription;
    }

    private String deliveryPath(String id) {
        return "apps/" + shop.app + "/deliveries/" + id;
    }

    private JsonNode delivery(String id) {
        return shop.client.get(deliveryPath(id)).expect(200).body();
    }

    private List<TestReceiver.Request> requests() {
        return scene.receiver.requests().stream()
                .filter(request -> request.path().equals(path))
                .toList();
    }

    private void awaitState(String delivery, String state) {
        await(
                "delivery is " + state,
                () -> delivery(delivery).path("state").asText().equals(state));
    }

    /** Records an event, waits for the only subscription's delivery to get that far, and returns its id. */
    private String recorded(String subscription, String state) {
        String event = shop.record(TENANT);
        await(
                "fan-out",
                () -> shop.deliveries(subscription).stream()
                        .anyMatch(d -> d.path("eventId").asText().equals(event)));
        String id = shop.deliveries(subscription).stream()
                .filter(d -> d.path("eventId").asText().equals(event))
                .findFirst()
                .orElseThrow()
                .path("id")
                .asText();
        awaitState(id, state);
        return id;
    }

    private void awaitJob(Answer ordered) {
        String job = "apps/" + shop.app + "/jobs/" + ordered.body().path("id").asText();
        await("job", () -> shop.client.get(job).expect(200).body().has("finishedAt"));
        assertThat(shop.client.get(job).body().path("status").asText()).isEqualTo("DONE");
    }

    private long audits(String action, String target) {
        return scene.database.number("select count(*) from ringfence.audit_log where action = '" + action
                + "' and target = '" + target + "' and actor like '%(shop)'");
    }

    @Test
    @Tag("SB-1")
    @Tag("SB-4")
    @Tag("OP-1")
    void a_merge_patch_changes_what_it_names_and_what_waits_keeps_its_address() {
        String id = shop.subscribe(TENANT, "hook", "/busy", DeliveryScene.waits(3_600, 3_600));
        String waiting = recorded(id, "retrying");
        ObjectNode patch =
                object().put("url", scene.receiver.url(path).toString()).put("name", "another name");
        patch.putObject("headers").put("X-Shop", "7");
        patch.putObject("limits").put("inFlight", 3);
        patch.putNull("timeoutMs");
        patch.putObject("auth").put("type", "bearer").put("token", "patched-token");

        JsonNode changed = shop.client.patch(one(id), patch).expect(200).body();

        assertThat(changed.path("name").asText()).isEqualTo("another name");
        assertThat(changed.path("timeoutMs").asInt()).isEqualTo(2_000);
        assertThat(changed.at("/limits/inFlight").asInt()).isEqualTo(3);
        assertThat(changed.at("/retry/waitsSeconds"))
                .as("not named, not changed")
                .hasSize(2);
        assertThat(changed.toString()).doesNotContain("patched-token");
        assertThat(changed).isEqualTo(shop.client.get(one(id)).body());
        assertThat(delivery(waiting).path("url").asText()).endsWith("/busy");
        assertThat(audits("subscription.change", id)).isEqualTo(1);

        recorded(id, "delivered");
        assertThat(requests()).hasSize(1);
        assertThat(requests().get(0).header("X-Shop")).isEqualTo("7");
        assertThat(requests().get(0).header("Authorization")).isEqualTo("Bearer patched-token");

        shop.client.patch(one(id), (ObjectNode) object().putNull("auth")).expect(200);
        assertThat(shop.client.get(one(id)).body().has("auth")).isFalse();
        recorded(id, "delivered");
        assertThat(requests().get(1).header("Authorization")).isEmpty();
    }

    @Test
    @Tag("SB-1")
    @Tag("SB-4")
    @Tag("HT-3")
    void a_receiver_gets_the_body_of_its_template_signed_also_in_a_test_and_once_more() {
        String secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        ObjectNode more = object().put("ack", "RECEIPT");
        more.putArray("signing").addObject().put("scheme", "webhook-id").put("secret", secret);
        more.putObject("envelope")
                .put("text", "Order {{payload.number}} of {{tenant}}")
                .put("appId", "{{appId}}")
                .put("raw", "{{payload}}")
                .put("none", "{{workspaceId}}");
        String id = shop.subscribe(TENANT, "hook", "/receipt", more);
        assertThat(shop.client.get(one(id)).body().path("envelope")).isEqualTo(more.path("envelope"));

        String delivery = recorded(id, "delivered");
        String number = scene.database.text("select payload->>'number' from ringfence.outbox_events where event_id = '"
                + delivery(delivery).path("eventId").asText() + "'");
        String body = "{\"text\":\"Order " + number + " of " + TENANT + "\",\"appId\":\"" + shop.app
                + "\",\"raw\":{\"number\":" + number + "},\"none\":null}";
        TestReceiver.Request sent = received(body).get(0);
        assertThat(sent.header("webhook-signature"))
                .isEqualTo(StandardWebhooks.sign(
                        WebhookSecret.parse(secret).key(),
                        sent.header("webhook-id"),
                        Long.parseLong(sent.header("webhook-timestamp")),
                        sent.body()));
        assertThat(delivery(delivery).path("bodySha256").asText())
                .isEqualTo(scene.database.text("select encode(sha256(convert_to('" + body + "', 'UTF8')), 'hex')"));

        shop.client
                .patch(one(id), object().set("envelope", object().put("text", "{{eventName}}")))
                .expect(200);
        shop.client.post(deliveryPath(delivery) + "/retry", because()).expect(202);
        await("the same bytes again", () -> received(body).size() == 2);

        Answer tested = shop.client.post(one(id) + "/test", object()).expect(202);
        awaitState(tested.body().path("deliveryId").asText(), "delivered");
        assertThat(received("{\"text\":\"ringfence.subscription.tested.v1\",\"appId\":\"" + shop.app
                        + "\",\"raw\":{\"test\":true},\"none\":null}"))
                .as("a merge patch changes what it names")
                .hasSize(1);
    }

    private List<TestReceiver.Request> received(String body) {
        return scene.receiver.requests().stream()
                .filter(request -> new String(request.body(), java.nio.charset.StandardCharsets.UTF_8).equals(body))
                .toList();
    }

    @Test
    @Tag("SB-7")
    void a_circuit_is_shown_and_what_an_operator_changes_closes_it() {
        ObjectNode more = DeliveryScene.waits(3_600);
        more.putObject("circuit").put("failures", 2).put("pauseSeconds", 3_600).put("maxPauseSeconds", 3_600);
        String id = shop.subscribe(TENANT, "hook", path, more);
        assertThat(shop.client.get(one(id)).body().at("/circuitState/state").asText())
                .isEqualTo("CLOSED");
        assertThat(shop.client.get(one(id)).body().path("circuit")).isEqualTo(more.path("circuit"));
        scene.statuses.put(path, 503);
        recorded(id, "retrying");
        recorded(id, "retrying");
        await("open", () -> circuit(id).path("state").asText().equals("OPEN"));
        assertThat(circuit(id).path("consecutiveFailures").asInt()).isEqualTo(2);
        assertThat(Instant.parse(circuit(id).path("until").asText())).isAfter(Instant.now());
        String waiting = recorded(id, "pending");
        scene.statuses.remove(path);

        JsonNode resumed =
                shop.client.post(one(id) + "/resume", because()).expect(200).body();

        assertThat(resumed.at("/circuitState/state").asText()).isEqualTo("CLOSED");
        awaitState(waiting, "delivered");
        assertThat(shop.client
                        .patch(one(id), object().set("circuit", object().put("failures", 0)))
                        .expect(200)
                        .body()
                        .path("circuit"))
                .isEqualTo(
                        object().put("failures", 0).put("pauseSeconds", 3_600).put("maxPauseSeconds", 3_600));
        assertThat(shop.client
                        .patch(one(id), object().set("circuit", object().put("maxPauseSeconds", 3)))
                        .expect(422)
                        .body()
                        .path("errors")
                        .findValuesAsText("pointer"))
                .containsExactly("/circuit/maxPauseSeconds");
    }

    private JsonNode circuit(String subscription) {
        return shop.client.get(one(subscription)).body().path("circuitState");
    }

    @Test
    @Tag("SB-1")
    @Tag("HT-3")
    void a_bad_template_is_refused_with_its_place_at_creation_and_by_a_patch() {
        String id = shop.subscribe(TENANT, "hook", "/take", object());
        for (String text : List.of("{{payload.a", "{{nobody}}", "{{}}")) {
            ObjectNode bad = object().put("name", "n")
                    .put("mode", "PUSH")
                    .put("url", scene.receiver.url("/take").toString());
            bad.putObject("envelope").putArray("list").add(1).add(text);
            assertThat(shop.client
                            .post("apps/" + shop.app + "/tenants/" + TENANT + "/subscriptions", bad)
                            .expect(422)
                            .body()
                            .path("errors")
                            .findValuesAsText("pointer"))
                    .containsExactly("/envelope/list/1");
            bad.remove(List.of("name", "mode", "url"));
            assertThat(shop.client
                            .patch(one(id), bad)
                            .expect(422)
                            .body()
                            .path("errors")
                            .findValuesAsText("pointer"))
                    .containsExactly("/envelope/list/1");
        }
        ObjectNode template = object();
        template.putObject("envelope").put("id", "{{eventId}}");
        shop.client.patch(one(id), template).expect(200);
        assertThat(shop.client
                        .patch(one(id), object().put("ack", "RECEIPT"))
                        .expect(422)
                        .body()
                        .path("errors")
                        .findValuesAsText("code"))
                .containsExactly("NEEDS_APP_ID");
        shop.client.patch(one(id), (ObjectNode) object().putNull("envelope")).expect(200);
        assertThat(shop.client.get(one(id)).body().has("envelope")).isFalse();
    }

    @Test
    @Tag("SB-1")
    @Tag("SB-7")
    @Tag("HT-4")
    void a_patch_is_checked_as_a_creation_is_and_changes_nothing_when_refused() {
        String id = shop.subscribe(TENANT, "hook", "/take", object());
        JsonNode before = shop.client.get(one(id)).body();
        ObjectNode bad = object().put("mode", "PULL").put("timeoutMs", 99_999).put("unknown", 1);
        bad.putArray("signing").addObject().put("scheme", "webhook-id");
        bad.putArray("grants").add("*");
        assertThat(shop.client
                        .patch(one(id), bad)
                        .expect(422)
                        .body()
                        .path("errors")
                        .findValuesAsText("pointer"))
                .contains("/mode", "/signing", "/grants");
        assertThat(shop.client
                        .patch(one(id), object().put("timeoutMs", 99_999).put("unknown", 1))
                        .expect(422)
                        .body()
                        .path("errors")
                        .findValuesAsText("pointer"))
                .contains("/timeoutMs", "/unknown");
        for (String name : List.of("Host", "hOST", "WEBHOOK-ID", "Authorization", "X-Ok\r\nX-Injected")) {
            ObjectNode headers = object();
            headers.putObject("headers").put(name, "v");
            assertThat(shop.client.patch(one(id), headers).expect(422).code())
                    .as(name)
                    .isEqualTo("INVALID");
        }
        ObjectNode broken = object();
        broken.putObject("headers").put("X-A", "a\r\nX-Injected: 1");
        assertThat(shop.client
                        .patch(one(id), broken)
                        .expect(422)
                        .body()
                        .at("/errors/0/pointer")
                        .asText())
                .isEqualTo("/headers/X-A");
        assertThat(shop.client
                        .patch(one(id), object().put("url", "http://169.254.169.254/latest"))
                        .expect(422)
                        .code())
                .isEqualTo("DESTINATION_NOT_ALLOWED");
        assertThat(shop.client.get(one(id)).body()).isEqualTo(before);
        assertThat(audits("subscription.change", id)).isZero();
    }

    /** Of {@code auth} and an application's {@code remoteErasure} nothing is merged, and nothing is lost without a word. */
    @Test
    @Tag("SB-1")
    @Tag("SB-7")
    void a_patch_of_a_part_keeps_the_others_or_asks_for_them() {
        ObjectNode given = DeliveryScene.waits(3_600, 3_600);
        given.withObject("/retry").put("jitter", 0.5).put("attempts", 3);
        given.putObject("limits").put("inFlight", 7).put("perSecond", 5.5);
        given.putObject("circuit").put("failures", 4).put("pauseSeconds", 5).put("maxPauseSeconds", 6);
        given.putObject("headers").put("X-One", "1").put("X-Two", "2");
        given.putObject("auth").put("type", "bearer").put("token", "a-token");
        String id = shop.subscribe(TENANT, "hook", "/take", given);
        ObjectNode patch = object();
        patch.putObject("retry").put("jitter", 0.25);
        patch.putObject("limits").put("inFlight", 8);
        patch.putObject("circuit").put("failures", 9);
        patch.putObject("headers").putNull("X-One").putNull("X-Three");

        JsonNode changed = shop.client.patch(one(id), patch).expect(200).body();

        assertThat(changed.at("/retry/waitsSeconds")).hasSize(2);
        assertThat(changed.at("/retry/jitter").asDouble()).isEqualTo(0.25);
        assertThat(changed.at("/retry/attempts").asInt()).isEqualTo(3);
        assertThat(changed.at("/limits/perSecond").asDouble()).isEqualTo(5.5);
        assertThat(changed.at("/limits/inFlight").asInt()).isEqualTo(8);
        assertThat(changed.at("/circuit/pauseSeconds").asInt()).isEqualTo(5);
        assertThat(changed.at("/circuit/maxPauseSeconds").asInt()).isEqualTo(6);
        assertThat(changed.path("headers").toString()).isEqualTo("{\"X-Two\":\"2\"}");
        assertThat(changed.at("/auth/type").asText()).isEqualTo("bearer");
        ObjectNode auth = object();
        auth.putObject("auth").put("token", "another-token");
        assertThat(pointers(shop.client.patch(one(id), auth).expect(422))).contains("/auth/type");
        auth.putObject("auth").put("type", "oauth2").put("clientSecret", "another");
        assertThat(pointers(shop.client.patch(one(id), auth).expect(422)))
                .containsExactlyInAnyOrder("/auth/clientId", "/auth/tokenUrl");
        ObjectNode erasure = object();
        erasure.putObject("remoteErasure").put("url", "https://1.1.1.1/erase");
        assertThat(pointers(scene.admin().patch("apps/" + shop.app, erasure).expect(422)))
                .containsExactly("/remoteErasure/secret");
        assertThat(shop.client.get(one(id)).body()).isEqualTo(changed);
    }

    @Test
    @Tag("SB-1")
    @Tag("OP-1")
    void a_patch_that_removes_what_no_subscription_has_is_refused_and_not_audited() {
        String id = shop.subscribe(TENANT, "hook", "/take", object());
        JsonNode before = shop.client.get(one(id)).body();
        ObjectNode patch = object().put("timeoutMs", 3_000);
        patch.putNull("tokn");
        patch.putObject("limits").putNull("perSecnd");
        patch.putObject("circuit").put("failures", 3).putNull("pause/s");
        patch.putObject("auth").put("type", "bearer").put("token", "t").putNull("url");
        patch.putObject("tls").putNull("password");
        Answer refused = shop.client.patch(one(id), patch).expect(422);
        assertThat(pointers(refused))
                .containsExactlyInAnyOrder(
                        "/auth/url", "/circuit/pause~1s", "/limits/perSecnd", "/tls/password", "/tokn");
        assertThat(refused.body().at("/errors/0/code").asText()).isEqualTo("UNKNOWN_FIELD");
        assertThat(audits("subscription.change", id)).isZero();
        assertThat(shop.client.get(one(id)).body()).isEqualTo(before);
        for (String known : List.of("envelope", "match", "timeoutMs", "retryStatuses", "url2")) {
            shop.client.patch(one(id), (ObjectNode) object().putNull(known)).expect(known.equals("url2") ? 422 : 200);
        }
    }

    private static List<String> pointers(Answer answer) {
        return answer.body().path("errors").findValuesAsText("pointer");
    }

    @Test
    @Tag("SB-3")
    @Tag("RC-12")
    @Tag("OP-1")
    void a_pause_holds_what_waits_takes_nothing_new_and_a_resume_lets_go() {
        String id = shop.subscribe(TENANT, "hook", path, object());
        scene.statuses.put(path, 503);
        String waiting = recorded(id, "retrying");

        Answer paused = shop.client.post(one(id) + "/pause", because()).expect(200);
        assertThat(paused.body().path("status").asText()).isEqualTo("PAUSED");
        shop.client.post(one(id) + "/pause", object()).expect(200);
        assertThat(shop.client.post(one(id) + "/test", object()).expect(409).code())
                .isEqualTo("SUBSCRIPTION_PAUSED");
        scene.statuses.remove(path);
        String other = shop.subscribe(TENANT, "other", "/take", object());
        shop.record(TENANT);
        await("fan-out while paused", () -> !shop.deliveries(other).isEmpty());
        shop.client.post(deliveryPath(waiting) + "/retry", because()).expect(202);

        assertThat(shop.deliveries(id)).as("nothing was created in the pause").hasSize(1);
        assertThat(delivery(waiting).path("state").asText()).as("due, and held").isEqualTo("pending");
        assertThat(requests()).hasSize(1);

        shop.client.post(one(id) + "/resume", because()).expect(200);
        awaitState(waiting, "delivered");
        recorded(id, "delivered");
        assertThat(shop.deliveries(id)).hasSize(2);
        assertThat(audits("subscription.pause", id))
                .as("only what changed something")
                .isEqualTo(1);
        assertThat(audits("subscription.resume", id)).isEqualTo(1);
    }

    @Test
    @Tag("SB-5")
    @Tag("OP-1")
    void a_deleted_subscription_fails_what_waits_at_once() {
        String id = shop.subscribe(TENANT, "hook", "/busy", DeliveryScene.waits(3_600));
        String waiting = recorded(id, "retrying");
        assertThat(shop.client.delete(one(id)).expect(204).text()).isEmpty();
        shop.client.get(one(id)).expect(404);
        shop.client.delete(one(id)).expect(404);
        awaitState(waiting, "failed");
        assertThat(delivery(waiting).path("lastCode").asText()).isEqualTo("SUBSCRIPTION_GONE");
        assertThat(shop.client
                        .post(deliveryPath(waiting) + "/retry", because())
                        .expect(409)
                        .code())
                .isEqualTo("SUBSCRIPTION_GONE");
        assertThat(scene.database.number(
                        "select count(*) from ringfence.subscription_secrets where subscription_id = '" + id + "'"))
                .isZero();
        assertThat(audits("subscription.delete", id)).isEqualTo(1);
    }

    @Test
    @Tag("SB-7")
    @Tag("SG-1")
    @Tag("SC-2")
    @Tag("RC-12")
    void both_secrets_sign_until_the_grace_is_over() {
        ObjectNode more = object();
        WebhookSecret first = WebhookSecret.generate();
        more.putArray("signing").addObject().put("scheme", "webhook-id").put("secret", first.reveal());
        String id = shop.subscribe(TENANT, "hook", path, more);
        String key = UUID.randomUUID().toString();

        Answer rotated = withKey(one(id) + "/rotate-secret", object().put("graceSeconds", 3_600), key)
                .expect(200);
        WebhookSecret second = WebhookSecret.parse(rotated.body().path("secret").asText());
        assertThat(rotated.body().at("/signing/0/secret"))
                .isEqualTo(rotated.body().path("secret"));
        Answer again = withKey(one(id) + "/rotate-secret", object().put("graceSeconds", 3_600), key)
                .expect(200);
        assertThat(again.header("Idempotency-Replayed")).contains("true");
        assertThat(again.text()).doesNotContain("whsec_");

        recorded(id, "delivered");
        assertThat(signatures(0)).containsExactly(signature(second, 0), signature(first, 0));

        WebhookSecret third = WebhookSecret.parse(shop.client
                .post(one(id) + "/rotate-secret", object().put("graceSeconds", 0))
                .expect(200)
                .body()
                .path("secret")
                .asText());
        recorded(id, "delivered");
        assertThat(signatures(1)).containsExactly(signature(third, 1));
        assertThat(scene.database.number("select count(*) from ringfence.idempotency_keys where position('"
                        + second.reveal() + "' in convert_from(response, 'UTF8')) > 0"))
                .isZero();

        for (int i = 0; i < 4; i++) {
            shop.client
                    .post(one(id) + "/rotate-secret", object().put("graceSeconds", 60))
                    .expect(200);
        }
        assertThat(shop.client
                        .post(one(id) + "/rotate-secret", object().put("graceSeconds", 60))
                        .expect(409)
                        .code())
                .isEqualTo("TOO_MANY_SECRETS");
        assertThat(audits("subscription.rotate-secret", id)).isEqualTo(5);
    }

    private List<String> signatures(int request) {
        return List.of(requests().get(request).header("webhook-signature").split(" "));
    }

    private String signature(WebhookSecret secret, int request) {
        TestReceiver.Request sent = requests().get(request);
        return StandardWebhooks.sign(
                secret.key(), sent.header("webhook-id"), Long.parseLong(sent.header("webhook-timestamp")), sent.body());
    }

    private Answer withKey(String operation, JsonNode body, String key) {
        return RingfenceClient.send(HttpRequest.newBuilder(shop.client.api().resolve(operation))
                .header("Authorization", "Bearer " + DeliveryScene.ADMIN_KEY)
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", key)
                .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                .build());
    }

    @Test
    @Tag("SB-7")
    @Tag("OP-1")
    void a_test_send_is_marked_goes_to_one_receiver_once_and_disables_nothing() {
        String id = shop.subscribe(TENANT, "hook", path, object().put("deadThreshold", 1));
        String other = shop.subscribe(TENANT, "other", "/take", object());
        scene.statuses.put(path, 410);

        Answer queued = shop.client.post(one(id) + "/test", object()).expect(202);
        String delivery = queued.body().path("deliveryId").asText();
        awaitState(delivery, "dead");

        assertThat(requests()).hasSize(1);
        assertThat(requests().get(0).header("Ringfence-Test")).isEqualTo("true");
        assertThat(requests().get(0).header("webhook-signature")).startsWith("v1,");
        assertThat(requests().get(0).text())
                .contains("\"eventName\":\"ringfence.subscription.tested.v1\"", "\"metadata\":{\"test\":true}");
        assertThat(delivery(delivery).path("test").asBoolean()).isTrue();
        assertThat(shop.client
                        .get("apps/" + shop.app + "/deliveries?eventId="
                                + queued.body().path("eventId").asText())
                        .body()
                        .at("/items/0/id")
                        .asText())
                .isEqualTo(delivery);
        assertThat(delivery(delivery).path("bodySha256").asText()).hasSize(64);
        JsonNode after = shop.client.get(one(id)).body();
        assertThat(after.path("status").asText()).isEqualTo("ACTIVE");
        assertThat(after.path("consecutiveDead").asInt()).isZero();
        assertThat(shop.deliveries(other)).isEmpty();
        assertThat(shop.count("outbox_events where true")).isZero();
        assertThat(audits("subscription.test", id)).isEqualTo(1);

        scene.statuses.put(path, 503);
        String busy = shop.client
                .post(one(id) + "/test", object())
                .expect(202)
                .body()
                .path("deliveryId")
                .asText();
        awaitState(busy, "dead");
        assertThat(delivery(busy).path("attempts")).as("one attempt").hasSize(1);
    }

    @Test
    @Tag("SB-6")
    @Tag("SB-3")
    void a_receiver_that_is_gone_disables_tells_the_others_and_fails_what_waits() {
        String watcher = shop.subscribe(TENANT, "watcher", path, events("ringfence.subscription.disabled.v1"));
        String id = shop.subscribe(TENANT, "hook", "/busy", DeliveryScene.waits(3_600));
        String waiting = recorded(id, "retrying");
        shop.client
                .patch(one(id), object().put("url", scene.receiver.url("/gone").toString()))
                .expect(200);

        recorded(id, "dead");

        JsonNode disabled = shop.client.get(one(id)).body();
        assertThat(disabled.path("status").asText()).isEqualTo("DISABLED");
        assertThat(disabled.path("disabledReason").asText()).isEqualTo("GONE");
        await("the watcher hears it", () -> requests().size() == 1);
        assertThat(requests().get(0).text()).contains("\"reason\":\"GONE\"", id);
        assertThat(shop.deliveries(watcher)).hasSize(1);
        assertThat(shop.client.post(one(id) + "/pause", object()).expect(409).code())
                .isEqualTo("SUBSCRIPTION_DISABLED");
        assertThat(shop.client
                        .post(deliveryPath(waiting) + "/retry", because())
                        .expect(409)
                        .code())
                .isEqualTo("SUBSCRIPTION_DISABLED");

        int known = shop.deliveries(id).size();
        shop.record(TENANT);
        scene.database.execute("update ringfence.deliveries set next_attempt_at = now() where id = " + waiting);
        awaitState(waiting, "failed");
        assertThat(delivery(waiting).path("lastCode").asText()).isEqualTo("SUBSCRIPTION_DISABLED");
        await("published", () -> shop.count("outbox_events where status <> 'PUBLISHED'") == 0);
        assertThat(shop.deliveries(id)).hasSize(known);

        shop.client
                .patch(one(id), object().put("url", scene.receiver.url("/take").toString()))
                .expect(200);
        JsonNode resumed =
                shop.client.post(one(id) + "/resume", object()).expect(200).body();
        assertThat(resumed.path("status").asText()).isEqualTo("ACTIVE");
        assertThat(resumed.path("consecutiveDead").asInt()).isZero();
        assertThat(resumed.has("disabledReason")).isFalse();
        recorded(id, "delivered");
    }

    private static ObjectNode events(String type) {
        ObjectNode more = object();
        more.putArray("eventTypes").add(type);
        return more;
    }

    @Test
    @Tag("OP-1")
    @Tag("DL-1")
    @Tag("DL-3")
    @Tag("AT-2")
    @Tag("SB-4")
    @Tag("RC-12")
    void a_retry_opens_a_new_cycle_and_keeps_history_and_first_acceptance() {
        String id = shop.subscribe(TENANT, "hook", path, object());
        String delivery = recorded(id, "delivered");
        String accepted = delivery(delivery).path("acceptedAt").asText();
        String moved = "/" + UUID.randomUUID();
        shop.client
                .patch(one(id), object().put("url", scene.receiver.url(moved).toString()))
                .expect(200);
        scene.statuses.put(moved, 400);
        assertThat(shop.client
                        .post(deliveryPath(delivery) + "/retry", object())
                        .expect(422)
                        .body()
                        .at("/errors/0/pointer")
                        .asText())
                .isEqualTo("/reason");

        Answer ordered =
                shop.client.post(deliveryPath(delivery) + "/retry", because()).expect(202);

        assertThat(ordered.body().path("kind").asText()).isEqualTo("RETRY");
        assertThat(ordered.body().path("status").asText()).isEqualTo("DONE");
        assertThat(ordered.body().path("done").asInt()).isEqualTo(1);
        awaitJob(ordered);
        awaitState(delivery, "dead");
        JsonNode after = delivery(delivery);
        assertThat(after.path("cycle").asInt()).isEqualTo(2);
        assertThat(after.path("acceptedAt").asText()).as("DL-3").isEqualTo(accepted);
        assertThat(after.path("url").asText()).endsWith(moved);
        assertThat(after.path("lastCode").asText()).isEqualTo("REFUSED");
        assertThat(after.path("attempts").findValuesAsText("number")).containsExactly("1", "2");
        assertThat(after.path("attempts").findValuesAsText("state")).containsExactly("ACKNOWLEDGED", "FAILED");
        List<TestReceiver.Request> second = scene.receiver.requests().stream()
                .filter(request -> request.path().equals(moved))
                .toList();
        assertThat(second).hasSize(1);
        assertThat(second.get(0).body()).isEqualTo(requests().get(0).body());
        assertThat(second.get(0).header("webhook-id"))
                .isEqualTo(requests().get(0).header("webhook-id"));
        assertThat(scene.database.number(
                        "select count(*) from ringfence.audit_log where action = 'delivery.retry' and target = '"
                                + delivery
                                + "' and reason = 'the operator said so' and detail ->> 'from' = 'delivered'"))
                .isEqualTo(1);
    }

    @Test
    @Tag("OP-1")
    @Tag("AT-2")
    @Tag("DL-1")
    void what_is_in_flight_discarded_filtered_pending_or_foreign_is_not_retried() {
        ObjectNode filter = object();
        filter.putArray("match").addObject().put("payload.number", -1);
        String skipping = shop.subscribe(TENANT, "skipping", "/take", filter);
        String id = shop.subscribe(TENANT, "hook", path, object());
        scene.statuses.put(path, 400);
        String dead = recorded(id, "dead");
        String skipped = shop.deliveries(skipping).get(0).path("id").asText();
        assertThat(refusal(skipped)).isEqualTo("NOT_RETRYABLE");
        scene.database.execute("update ringfence.deliveries set discarded = true where id = " + dead);
        assertThat(refusal(dead)).isEqualTo("DISCARDED");

        String other = recorded(id, "dead");
        scene.database.execute(
                "update ringfence.deliveries set state = 'pending', cycle = cycle + 1, cycle_attempts = 0,"
                        + " cycle_started_at = now(), next_attempt_at = now() + interval '1 hour' where id = " + other);
        assertThat(refusal(other)).as("pending already").isEqualTo("NOT_RETRYABLE");
        scene.database.execute(
                "update ringfence.deliveries set reservation_id = gen_random_uuid(), lease_until = now() + interval '1 hour'"
                        + " where id = " + other);
        assertThat(refusal(other)).isEqualTo("ATTEMPT_IN_FLIGHT");

        shop.client
                .post("apps/" + shop.app + "/deliveries/999999999/retry", because())
                .expect(404);
        shop.client.post("apps/" + shop.app + "/deliveries/x/retry", because()).expect(404);
        RingfenceClient foreign = scene.admin().as(scene.admin().createKey(scene.shop().app, "foreign", "operator"));
        foreign.post(deliveryPath(other) + "/retry", because()).expect(404);
    }

    @Test
    @Tag("SB-5")
    void what_waits_fails_at_once_where_its_consent_is_revoked_also_in_a_pause() {
        String id = shop.subscribe(TENANT, "hook", "/busy", DeliveryScene.waits(3_600));
        String waiting = recorded(id, "retrying");
        shop.client.post(one(id) + "/pause", object()).expect(200);
        ObjectNode families = object();
        families.putArray("families").add("*");
        shop.client.put(one(id) + "/grants", families).expect(200);
        assertThat(shop.count("subscriptions where narrowed_at is not null and id = '" + id + "'"))
                .isZero();

        families.putArray("families").add("customer.*");
        shop.client.put(one(id) + "/grants", families).expect(200);

        awaitState(waiting, "failed");
        assertThat(delivery(waiting).path("lastCode").asText()).isEqualTo("ACCESS_ABSENT");
    }

    @Test
    @Tag("RC-12")
    void a_repeated_request_gets_its_kept_answer_whatever_has_become_of_what_it_asked_for() {
        String id = shop.subscribe(TENANT, "hook", path, object());
        String delivery = recorded(id, "delivered");
        ObjectNode window = because().put("from", "2026-01-01T00:00:00Z").put("to", "2026-01-02T00:00:00Z");
        Map<String, ObjectNode> requests = new LinkedHashMap<>();
        requests.put(deliveryPath(delivery) + "/retry", because());
        requests.put(one(id) + "/test", object());
        requests.put(one(id) + "/replays", window);
        Map<String, String> kept = new HashMap<>();
        requests.forEach((request, body) ->
                kept.put(request, withKey(request, body, "key").expect(202).text()));
        awaitState(delivery, "delivered");
        scene.database.execute(
                "update ringfence.subscriptions set status = 'DISABLED', disabled_reason = 'GONE' where id = '" + id
                        + "'");

        requests.forEach((request, body) -> {
            assertThat(withKey(request, body, "key").expect(202).text()).isEqualTo(kept.get(request));
            assertThat(shop.client.post(request, body).expect(409).code()).isEqualTo("SUBSCRIPTION_DISABLED");
        });
        scene.admin()
                .patch("apps/" + shop.app, object().put("enabled", false).put("reason", "over"))
                .expect(200);
        requests.forEach((request, body) -> {
            assertThat(withKey(request, body, "key").expect(202).text()).isEqualTo(kept.get(request));
            assertThat(shop.client.post(request, body).expect(409).code()).isEqualTo("APP_DISABLED");
        });
    }

    private String refusal(String delivery) {
        return shop.client
                .post(deliveryPath(delivery) + "/retry", because())
                .expect(409)
                .code();
    }

    @Test
    @Tag("DL-4")
    @Tag("OP-1")
    void a_window_is_replayed_by_a_job() {
        Instant before = Instant.now().minus(Duration.ofHours(1));
        String id = shop.subscribe(TENANT, "hook", path, object());
        scene.statuses.put(path, 400);
        List<String> events = shop.recordAll(TENANT, 5);
        await(
                "all dead",
                () -> shop.deliveries(id).stream()
                                .filter(d -> d.path("state").asText().equals("dead"))
                                .count()
                        == 5);
        shop.client.post(one(id) + "/pause", object()).expect(200);
        shop.recordAll(TENANT, 2);
        await("published", () -> shop.count("outbox_events where status <> 'PUBLISHED'") == 0);
        scene.statuses.remove(path);
        shop.client.post(one(id) + "/resume", object()).expect(200);
        ObjectNode order = because()
                .put("from", before.toString())
                .put("to", Instant.now().plus(Duration.ofDays(1)).toString());

        Answer ordered = shop.client.post(one(id) + "/replays", order).expect(202);
        assertThat(ordered.body().path("kind").asText()).isEqualTo("REPLAY");
        awaitJob(ordered);
        JsonNode job = shop.client
                .get("apps/" + shop.app + "/jobs/" + ordered.body().path("id").asText())
                .body();
        assertThat(job.path("done").asInt()).isEqualTo(5);
        assertThat(job.path("total").asInt()).isEqualTo(5);
        await(
                "delivered",
                () -> shop.deliveries(id).stream()
                                .filter(d -> d.path("state").asText().equals("delivered"))
                                .count()
                        == 5);
        assertThat(shop.deliveries(id)).as("nothing of the pause is invented").hasSize(5);
        assertThat(shop.deliveries(id).stream()
                        .map(d -> d.path("eventId").asText())
                        .toList())
                .containsExactlyInAnyOrderElementsOf(events);
        assertThat(audits("subscription.replay", id)).isEqualTo(1);

        ObjectNode backwards = because()
                .put("from", order.path("to").asText())
                .put("to", order.path("from").asText());
        assertThat(shop.client
                        .post(one(id) + "/replays", backwards)
                        .expect(422)
                        .body()
                        .at("/errors/0/pointer")
                        .asText())
                .isEqualTo("/to");
        ObjectNode endless = because()
                .put("from", "2020-01-01T00:00:00Z")
                .put("to", order.path("to").asText());
        shop.client.post(one(id) + "/replays", endless).expect(422);
        ObjectNode skipping = order.deepCopy();
        skipping.putArray("states").add("skipped_filter");
        assertThat(shop.client
                        .post(one(id) + "/replays", skipping)
                        .expect(422)
                        .body()
                        .at("/errors/0/pointer")
                        .asText())
                .isEqualTo("/states/0");
    }

    @Test
    @Tag("SC-1")
    @Tag("OP-1")
    void only_operators_and_only_of_the_application_may() {
        String id = shop.subscribe(TENANT, "hook", "/refuse", object());
        String delivery = recorded(id, "dead");
        ObjectNode window = because().put("from", "2026-01-01T00:00:00Z").put("to", "2026-01-02T00:00:00Z");
        for (String role : List.of("client", "auditor")) {
            RingfenceClient reader = scene.admin().as(scene.admin().createKey(shop.app, role, role));
            refused(reader, id, delivery, window, 403);
            reader.get("apps/" + shop.app + "/jobs/" + UUID.randomUUID()).expect(404);
        }
        RingfenceClient foreign = scene.admin().as(scene.admin().createKey(scene.shop().app, "foreign", "admin"));
        refused(foreign, id, delivery, window, 404);
        foreign.get("apps/" + shop.app + "/jobs/" + UUID.randomUUID()).expect(404);
    }

    private void refused(RingfenceClient client, String id, String delivery, ObjectNode window, int status) {
        client.patch(one(id), object().put("name", "n")).expect(status);
        client.delete(one(id)).expect(status);
        client.post(one(id) + "/pause", object()).expect(status);
        client.post(one(id) + "/resume", object()).expect(status);
        client.post(one(id) + "/test", object()).expect(status);
        client.post(one(id) + "/rotate-secret", object().put("graceSeconds", 1)).expect(status);
        client.post(one(id) + "/replays", window).expect(status);
        client.post(deliveryPath(delivery) + "/retry", because()).expect(status);
        assertThat(shop.client.get(one(id)).body().path("name").asText()).isEqualTo("hook");
    }

    @Test
    @Tag("LC-2")
    void nothing_of_a_redacted_tenant_is_changed_or_sent_again() {
        String id = shop.subscribe(TENANT, "hook", "/refuse", object());
        String delivery = recorded(id, "dead");
        scene.database.execute(
                "update ringfence.tenant_lifecycle set phase = 'REDACTED' where app_id = '" + shop.app + "'");
        ObjectNode window = because().put("from", "2026-11-01T00:00:00Z").put("to", "2026-11-02T00:00:00Z");
        for (Answer answer : List.of(
                shop.client.patch(one(id), object().put("name", "n")),
                shop.client.delete(one(id)),
                shop.client.put(one(id) + "/grants", object().set("families", object().arrayNode())),
                shop.client.post(one(id) + "/pause", object()),
                shop.client.post(one(id) + "/test", object()),
                shop.client.post(one(id) + "/rotate-secret", object().put("graceSeconds", 1)),
                shop.client.post(one(id) + "/replays", window),
                shop.client.post(deliveryPath(delivery) + "/retry", because()))) {
            assertThat(answer.expect(409).code()).isEqualTo("TENANT_REDACTED");
        }
        scene.database.execute(
                "update ringfence.tenant_lifecycle set phase = 'ACTIVE', epoch = gen_random_uuid() where app_id = '"
                        + shop.app + "'");
        assertThat(refusal(delivery)).isEqualTo("STALE_EPOCH");
    }
}
