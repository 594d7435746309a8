package dev.ringfence.redaction;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.RingfenceClient.Answer;
import dev.ringfence.harness.ServerProcess;
import dev.ringfence.harness.TestDatabase;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.awaitility.Awaitility;

/** A running node as an administrator of one application sees it. */
final class RedactionNode {
    static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String ADMIN = "redaction-admin-key-0123456789-0123456789";
    private static final String SECRETS_KEY = "cmVkYWN0aW9uLXNlY3JldHMta2V5LTAxMjM0NTY3ODk=";

    final RingfenceClient admin;
    final String app;

    RedactionNode(RingfenceClient admin, String app) {
        this.admin = admin;
        this.app = app;
    }

    static ServerProcess.Builder named(String name, TestDatabase database) {
        return ServerProcess.named(name)
                .database(database)
                .config("ringfence.bootstrap.admin-key", ADMIN)
                .config("ringfence.secrets.key", SECRETS_KEY)
                .config("ringfence.egress.allow", "127.0.0.0/8")
                .config("ringfence.node", name)
                .startLimit(Duration.ofMinutes(4));
    }

    /** A new application of that node. */
    static RedactionNode on(ServerProcess server) {
        RingfenceClient admin = new RingfenceClient(server.api(), ADMIN);
        return new RedactionNode(admin, admin.createApp("redaction"));
    }

    /** The same application seen from another node. */
    RedactionNode at(ServerProcess server) {
        return new RedactionNode(new RingfenceClient(server.api(), ADMIN), app);
    }

    String path(String rest) {
        return "apps/" + app + rest;
    }

    Answer redact(String tenant) {
        return redact(tenant, RingfenceClient.object());
    }

    Answer redact(String tenant, ObjectNode more) {
        return admin.post(path("/tenants/" + tenant + "/redactions"), more.put("reason", "the customer asked for it"));
    }

    Answer status(String redaction) {
        return admin.get(path("/redactions/" + redaction)).expect(200);
    }

    /** Waits for that status; the answer that has it. */
    JsonNode await(String redaction, String status) {
        Awaitility.await("redaction is " + status)
                .pollInterval(Duration.ofMillis(100))
                .atMost(PATIENCE)
                .untilAsserted(() -> org.assertj.core.api.Assertions.assertThat(
                                status(redaction).body().path("status").asText())
                        .as(status(redaction).text())
                        .isEqualTo(status));
        return status(redaction).body();
    }

    /** Requests a redaction and waits until it is done. */
    JsonNode redacted(String tenant) {
        return await(redact(tenant).expect(202).body().path("id").asText(), "DONE");
    }

    String lifecycle(String tenant, String field) {
        return admin.get(path("/tenants/" + tenant))
                .expect(200)
                .body()
                .path(field)
                .asText();
    }

    Answer enrolment(String tenant, ObjectNode more) {
        ObjectNode request = more;
        if (!request.has("session")) {
            request.putObject("session")
                    .put("id", "s-1")
                    .put("authenticatedAt", Instant.now().toString());
        }
        return admin.post(path("/tenants/" + tenant + "/enrolment"), request);
    }

    /** Enrols again as soon as the clocks' bound allows. */
    String enrolledAgain(String tenant) {
        List<Answer> answers = new ArrayList<>();
        Awaitility.await("the tenant can be enrolled again").atMost(PATIENCE).until(() -> {
            answers.add(enrolment(tenant, RingfenceClient.object()));
            return answers.get(answers.size() - 1).status() == 200;
        });
        return answers.get(answers.size() - 1).body().path("epoch").asText();
    }

    ObjectNode subscription(URI url) {
        return RingfenceClient.object().put("name", "hook").put("mode", "PUSH").put("url", url.toString());
    }

    JsonNode subscribe(String tenant, ObjectNode subscription) {
        return admin.post(path("/tenants/" + tenant + "/subscriptions"), subscription)
                .expect(201)
                .body();
    }

    static ObjectNode event(String occurrence) {
        ObjectNode event = RingfenceClient.object()
                .put("name", "orders.order.placed.v1")
                .put("aggregateType", "order")
                .put("aggregateId", "order-1")
                .put("occurredAt", "2026-11-01T10:00:00.000Z")
                .put("occurrenceKey", occurrence);
        event.putObject("actor").put("type", "system");
        event.putObject("payload").put("note", occurrence);
        return event;
    }

    Answer record(String tenant, String epoch, int events) {
        List<JsonNode> all = new ArrayList<>();
        for (int i = 0; i < events; i++) {
            all.add(event("occurrence-" + UUID.randomUUID()));
        }
        return admin.record(app, tenant, epoch, all);
    }

    /** A first save of the tenant's settings. */
    Answer save(String tenant, String epoch, String note) {
        ObjectNode body = RingfenceClient.object().put("epoch", epoch);
        body.putObject("settings").put("note", note);
        return RingfenceClient.send(
                HttpRequest.newBuilder(admin.api().resolve(path("/tenants/" + tenant + "/settings")))
                        .timeout(Duration.ofSeconds(30))
                        .header("Content-Type", "application/json")
                        .header("Authorization", "Bearer " + ADMIN)
                        .header("If-Match", "\"0\"")
                        .PUT(HttpRequest.BodyPublishers.ofString(body.toString()))
                        .build());
    }

    Answer patch(ObjectNode change) {
        return RingfenceClient.send(HttpRequest.newBuilder(admin.api().resolve(path("")))
                .timeout(Duration.ofSeconds(30))
                .header("Content-Type", "application/merge-patch+json")
                .header("Authorization", "Bearer " + ADMIN)
                .method("PATCH", HttpRequest.BodyPublishers.ofString(change.toString()))
                .build());
    }

    /** POST with an idempotency key of the test's choice. */
    Answer post(String path, String idempotencyKey, JsonNode body) {
        return RingfenceClient.send(HttpRequest.newBuilder(admin.api().resolve(path))
                .timeout(Duration.ofSeconds(30))
                .header("Content-Type", "application/json")
                .header("Authorization", "Bearer " + ADMIN)
                .header("Idempotency-Key", idempotencyKey)
                .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                .build());
    }

    static String stage(JsonNode status, String name, String field) {
        for (JsonNode stage : status.path("stages")) {
            if (stage.path("name").asText().equals(name)) {
                return stage.path(field).asText();
            }
        }
        return "";
    }
}
