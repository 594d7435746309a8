package dev.ringfence.recording;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.RingfenceClient.Answer;
import dev.ringfence.harness.ServerProcess;
import dev.ringfence.harness.TestDatabase;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.Collections;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Recording over HTTP on the real server, in its JTA transactions. */
class RecordingIT {
    private static final String ADMIN_KEY = "recording-admin-key-0123456789-0123456789";
    private static final TestDatabase DATABASE = TestDatabase.migrated();
    private static final ServerProcess SERVER = ServerProcess.named("recording")
            .database(DATABASE)
            .config("ringfence.bootstrap.admin-key", ADMIN_KEY)
            .config("ringfence.secrets.key", Base64.getEncoder().encodeToString(new byte[32]))
            .config("ringfence.delivery.enabled", "false")
            .startLimit(Duration.ofMinutes(5))
            .build();

    private static RingfenceClient admin;

    private final String app = admin.createApp("shop");
    private final RingfenceClient client = admin.as(admin.createKey(app, "shop", "client"));
    private final String tenant = "shop-" + UUID.randomUUID();
    private final String epoch = client.enrol(app, tenant);
    private final String base = "apps/" + app + "/tenants/" + tenant + "/";

    @BeforeAll
    static void start() {
        SERVER.start();
        admin = new RingfenceClient(SERVER.api(), ADMIN_KEY);
    }

    @AfterAll
    static void stop() {
        SERVER.close();
        DATABASE.close();
    }

    private static ObjectNode event(String aggregateId) {
        ObjectNode event = RingfenceClient.object()
                .put("name", "shop.order.placed.v1")
                .put("aggregateType", "order")
                .put("aggregateId", aggregateId)
                .put("occurredAt", "2026-06-03T10:00:00.123+02:00");
        event.putObject("actor").put("type", "user").put("id", "u-1");
        event.putObject("payload").put("total", 12);
        return event;
    }

    private ObjectNode operation(String id, long expectedVersion, String state) {
        ObjectNode operation =
                RingfenceClient.object().put("clientOperationId", id).put("epoch", epoch);
        operation.putObject("aggregate").put("type", "order").put("id", "o-1").put("expectedVersion", expectedVersion);
        operation.putObject("state").put("s", state);
        operation.putArray("events").add(event("o-1"));
        return operation;
    }

    private HttpRequest.Builder raw(String path, String body) {
        return HttpRequest.newBuilder(SERVER.api().resolve(path))
                .timeout(Duration.ofSeconds(30))
                .header("Authorization", "Bearer " + ADMIN_KEY)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body));
    }

    private long events() {
        return DATABASE.number("select count(*) from ringfence.outbox_events where app_id = '" + app + "'");
    }

    @Test
    @Tag("RC-5")
    void what_is_returned_are_the_stored_bytes_with_the_payload_as_it_was_posted() throws Exception {
        String payload = "{\"log\":\"\\u001B[31m é\", \"zebra\":1, \"alpha\":1e3, \"z\":-0}";
        String body = "{\"epoch\":\"" + epoch + "\",\"events\":["
                + event("o-1").toString().replace("{\"total\":12}", payload) + "]}";
        JsonNode recorded = RingfenceClient.send(raw(base + "events", body).build())
                .expect(202)
                .body();
        Answer detail = client.get("apps/" + app + "/events/"
                        + recorded.at("/results/0/eventId").asText())
                .expect(200);
        byte[] bytes = Base64.getDecoder().decode(detail.body().path("bytes").asText());
        assertThat(new String(bytes, StandardCharsets.UTF_8)).contains("\"payload\":" + payload);
        assertThat(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes)))
                .isEqualTo(detail.body().path("sha256").asText());
        assertThat(detail.text()).contains("\"envelope\":" + new String(bytes, StandardCharsets.UTF_8));
        assertThat(detail.body().path("status").asText()).isEqualTo("PENDING");
        assertThat(detail.body().path("deliveries")).isEmpty();
    }

    @Test
    @Tag("EV-3")
    void the_envelope_names_app_producer_cause_and_times_in_utc() {
        JsonNode recorded = client.record(app, tenant, epoch, List.of(event("o-1")))
                .expect(202)
                .body();
        JsonNode envelope = client.get("apps/" + app + "/events/"
                        + recorded.at("/results/0/eventId").asText())
                .expect(200)
                .body()
                .path("envelope");
        assertThat(envelope.path("appId").asText()).isEqualTo(app);
        assertThat(envelope.path("producer").asText()).isEqualTo("shop");
        assertThat(envelope.path("eventVersion").asInt()).isEqualTo(1);
        assertThat(envelope.path("occurredAt").asText()).isEqualTo("2026-06-03T08:00:00.123Z");
        assertThat(envelope.path("recordedAt").asText()).endsWith("Z");
        assertThat(envelope.path("causationId").asText()).startsWith("req_");
        assertThat(envelope.path("correlationId")).isEqualTo(recorded.path("correlationId"));
    }

    @Test
    @Tag("EV-4")
    void a_workflow_goes_on_with_its_own_correlation_id_and_with_no_other() {
        String body = RingfenceClient.object()
                .put("epoch", epoch)
                .set("events", RingfenceClient.JSON.createArrayNode().add(event("o-1")))
                .toString();
        String issued = RingfenceClient.send(raw(base + "events", body).build())
                .expect(202)
                .body()
                .path("correlationId")
                .asText();
        assertThat(correlation(body, issued)).isEqualTo(issued);
        String forged = issued.substring(0, issued.length() - 1) + (issued.endsWith("A") ? "B" : "A");
        assertThat(correlation(body, forged)).isNotEqualTo(forged).startsWith("cor_");
        assertThat(DATABASE.number(
                        "select count(*) from ringfence.outbox_events where correlation_id = '" + issued + "'"))
                .isEqualTo(2);
    }

    private String correlation(String body, String sent) {
        return RingfenceClient.send(raw(base + "events", body)
                        .header("Ringfence-Correlation-Id", sent)
                        .build())
                .expect(202)
                .body()
                .path("correlationId")
                .asText();
    }

    @Test
    @Tag("RC-8")
    void fifty_events_are_recorded_and_fifty_one_are_not() {
        assertThat(client.record(app, tenant, epoch, Collections.nCopies(50, event("o-1")))
                        .expect(202)
                        .body()
                        .path("results"))
                .hasSize(50);
        Answer refused = client.record(app, tenant, epoch, Collections.nCopies(51, event("o-1")));
        assertThat(refused.expect(422).code()).isEqualTo("INVALID");
        assertThat(refused.body().at("/errors/0/pointer").asText()).isEqualTo("/events");
        assertThat(events()).isEqualTo(50);
    }

    @Test
    @Tag("RC-8")
    @Tag("EV-2")
    void one_bad_event_refuses_all_and_every_fault_is_named() {
        ObjectNode badName = event("o-1").put("name", "shop.order.v1");
        ObjectNode unknown = event("o-2").put("colour", "red");
        Answer refused = client.record(app, tenant, epoch, List.of(event("o-0"), badName, unknown));
        assertThat(refused.expect(422).body().at("/errors"))
                .extracting(error -> error.path("pointer").asText())
                .containsExactlyInAnyOrder("/events/1/name", "/events/2/colour");
        String nul = "{\"epoch\":\"" + epoch + "\",\"events\":["
                + event("o-1").toString().replace("\"total\":12", "\"total\":\"a\\u0000\"") + "]}";
        assertThat(RingfenceClient.send(raw(base + "events", nul).build())
                        .expect(422)
                        .body()
                        .at("/errors/0/pointer")
                        .asText())
                .isEqualTo("/events/0/payload/total");
        assertThat(events()).isZero();
    }

    @Test
    @Tag("RC-11")
    void a_dry_run_records_nothing_and_says_so() {
        ObjectNode request = RingfenceClient.object().put("epoch", epoch);
        request.putArray("events").add(event("o-1"));
        JsonNode answer =
                client.post(base + "events?dryRun=true", request).expect(200).body();
        assertThat(answer.path("dryRun").booleanValue()).isTrue();
        assertThat(answer.path("receipt").booleanValue()).isFalse();
        assertThat(answer.path("results")).hasSize(1);
        client.post(base + "events?dryRun=maybe", request).expect(422);
        client.post(base + "operations?dryRun=true", operation("op-1", 0, "placed"))
                .expect(422);
        assertThat(events()).isZero();
    }

    @Test
    @Tag("RC-3")
    void a_stale_epoch_is_refused_also_for_a_dry_run() {
        ObjectNode request =
                RingfenceClient.object().put("epoch", UUID.randomUUID().toString());
        request.putArray("events").add(event("o-1"));
        for (String query : List.of("", "?dryRun=true")) {
            assertThat(client.post(base + "events" + query, request).expect(409).code())
                    .isEqualTo("STALE_EPOCH");
        }
        assertThat(events()).isZero();
    }

    @Test
    @Tag("RC-12")
    void the_same_idempotency_key_answers_the_same_and_records_once() {
        String body = RingfenceClient.object()
                .put("epoch", epoch)
                .set("events", RingfenceClient.JSON.createArrayNode().add(event("o-1")))
                .toString();
        HttpRequest request =
                raw(base + "events", body).header("Idempotency-Key", "key-1").build();
        Answer first = RingfenceClient.send(request).expect(202);
        Answer again = RingfenceClient.send(request).expect(202);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(again.header("Idempotency-Replayed")).contains("true");
        assertThat(events()).isEqualTo(1);
    }

    @Test
    @Tag("RC-1")
    void a_trigger_that_raises_on_the_outbox_rolls_the_aggregate_back() {
        DATABASE.execute("""
                create or replace function ringfence.break() returns trigger language plpgsql as
                  $$ begin raise exception 'broken'; end $$;
                create trigger break before insert on ringfence.outbox_events for each row
                  when (new.app_id = '%s') execute function ringfence.break()""".formatted(app));
        Answer broken = client.post(base + "operations", operation("op-1", 0, "placed"));
        assertThat(broken.expect(500).code()).isEqualTo("INTERNAL");
        assertThat(broken.text()).doesNotContain("broken");
        client.get(base + "aggregates/order/o-1").expect(404);
        client.get(base + "operations/op-1").expect(404);
        DATABASE.execute("drop trigger break on ringfence.outbox_events");
        client.post(base + "operations", operation("op-1", 0, "placed")).expect(200);
        client.get(base + "aggregates/order/o-1").expect(200);
        assertThat(events()).isEqualTo(1);
    }

    @Test
    @Tag("RC-6")
    void an_operation_is_accepted_once_replayed_and_in_conflict_with_another() {
        JsonNode first = client.post(base + "operations", operation("op-1", 0, "placed"))
                .expect(200)
                .body();
        assertThat(first.path("outcome").asText()).isEqualTo("ACCEPTED");
        JsonNode again = client.post(base + "operations", operation("op-1", 0, "placed"))
                .expect(200)
                .body();
        assertThat(again.path("replayed").booleanValue()).isTrue();
        assertThat(again.path("eventIds")).isEqualTo(first.path("eventIds"));
        Answer conflict = client.post(base + "operations", operation("op-2", 0, "other"));
        assertThat(conflict.expect(409).body().path("outcome").asText()).isEqualTo("CONFLICTED");
        assertThat(client.get(base + "operations/op-2")
                        .expect(200)
                        .body()
                        .path("outcome")
                        .asText())
                .isEqualTo("CONFLICTED");
        assertThat(client.post(base + "operations", operation("op-1", 0, "changed"))
                        .expect(422)
                        .code())
                .isEqualTo("IDEMPOTENCY_KEY_REUSED");
        assertThat(events()).isEqualTo(1);
    }

    @Test
    @Tag("RC-6")
    void an_aggregate_is_read_with_its_version_as_etag() {
        client.post(base + "operations", operation("op-1", 0, "placed")).expect(200);
        Answer read = client.get(base + "aggregates/order/o-1").expect(200);
        assertThat(read.header("ETag")).contains("\"1\"");
        assertThat(read.body().at("/state/s").asText()).isEqualTo("placed");
        HttpRequest conditional = HttpRequest.newBuilder(SERVER.api().resolve(base + "aggregates/order/o-1"))
                .header("Authorization", "Bearer " + ADMIN_KEY)
                .header("If-None-Match", "\"1\"")
                .build();
        RingfenceClient.send(conditional).expect(304);
    }

    @Test
    void events_are_found_by_their_fields_and_paged_newest_first() {
        for (int i = 0; i < 3; i++) {
            client.record(app, tenant, epoch, List.of(event("o-" + i).put("workspaceId", "w-" + i)))
                    .expect(202);
        }
        Set<String> seen = new HashSet<>();
        for (String filter : List.of("?limit=2", "?limit=2&tenant=" + tenant)) {
            JsonNode page =
                    client.get("apps/" + app + "/events" + filter).expect(200).body();
            assertThat(page.at("/items/0/aggregateId").asText()).isEqualTo("o-2");
            JsonNode next = client.get("apps/" + app + "/events" + filter + "&cursor="
                            + page.path("next").asText())
                    .expect(200)
                    .body();
            assertThat(next.path("items")).hasSize(1);
            assertThat(next.path("next").isNull()).isTrue();
            IntStream.range(0, 2)
                    .forEach(i -> seen.add(page.at("/items/" + i + "/eventId").asText()));
            seen.add(next.at("/items/0/eventId").asText());
        }
        assertThat(seen).hasSize(3);
        assertThat(found("?workspaceId=w-1")).isEqualTo(1);
        assertThat(found("?status=PENDING&name=shop.order.placed.v1&from=2026-01-01T00:00:00Z"))
                .isEqualTo(3);
        assertThat(found("?to=2026-01-01T00:00:00Z")).isZero();
        assertThat(found("?tenant=nobody")).isZero();
        client.get("apps/" + app + "/events?status=SENT").expect(422);
        client.get("apps/" + app + "/events?from=yesterday").expect(422);
        assertThat(client.get("apps/" + app + "/events?cursor=x").expect(422).code())
                .isEqualTo("INVALID_CURSOR");
    }

    private int found(String filter) {
        return client.get("apps/" + app + "/events" + filter)
                .expect(200)
                .body()
                .path("items")
                .size();
    }

    @Test
    @Tag("SC-1")
    void another_apps_key_sees_nothing_and_an_auditor_records_nothing() {
        String id = client.record(app, tenant, epoch, List.of(event("o-1")))
                .expect(202)
                .body()
                .at("/results/0/eventId")
                .asText();
        String other = admin.createApp("other");
        RingfenceClient foreign = admin.as(admin.createKey(other, "other", "client", "operator", "auditor", "admin"));
        foreign.record(app, tenant, epoch, List.of(event("o-2"))).expect(404);
        for (String path : List.of("events", "events/" + id, "events/" + id + "/receipts")) {
            foreign.get("apps/" + app + "/" + path).expect(404);
        }
        foreign.get("apps/" + other + "/events/" + id).expect(404);
        RingfenceClient auditor = admin.as(admin.createKey(app, "audit", "auditor"));
        auditor.record(app, tenant, epoch, List.of(event("o-2"))).expect(403);
        auditor.get("apps/" + app + "/events/" + id).expect(200);
        auditor.get("apps/" + app + "/events/" + id + "/receipts").expect(200);
        assertThat(events()).isEqualTo(1);
    }

    @Test
    void a_valid_trace_context_is_kept_with_the_event() {
        String body = RingfenceClient.object()
                .put("epoch", epoch)
                .set("events", RingfenceClient.JSON.createArrayNode().add(event("o-1")))
                .toString();
        String trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        for (String sent : List.of(trace, "nonsense")) {
            RingfenceClient.send(raw(base + "events", body)
                            .header("traceparent", sent)
                            .build())
                    .expect(202);
        }
        assertThat(DATABASE.number("select count(*) from ringfence.outbox_events where app_id = '" + app
                        + "' and traceparent = '" + trace + "'"))
                .isEqualTo(1);
        assertThat(DATABASE.number("select count(*) from ringfence.outbox_events where app_id = '" + app
                        + "' and traceparent is null"))
                .isEqualTo(1);
    }
}
