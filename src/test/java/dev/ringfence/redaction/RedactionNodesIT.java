package dev.ringfence.redaction;

import static dev.ringfence.redaction.RedactionNode.PATIENCE;
import static dev.ringfence.redaction.RedactionNode.stage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.ServerProcess;
import dev.ringfence.harness.TestDatabase;
import dev.ringfence.harness.TestReceiver;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code kill -9} of the node that works on a redaction, in the middle of two of its stages; the other goes on. */
class RedactionNodesIT {
    private static final int ROWS = 150_000;

    @Test
    @Tag("RD-2")
    @Tag("RD-3")
    @Tag("RD-4")
    @Tag("AD-6")
    void a_kill_in_the_middle_of_a_stage_costs_an_attempt_and_nothing_else() {
        CountDownLatch hold = new CountDownLatch(1);
        try (TestDatabase database = TestDatabase.empty();
                TestReceiver receiver = TestReceiver.start();
                // one of the two delivers nothing, and redacts all the same
                ServerProcess first = RedactionNode.named("redacts-a", database)
                        .config("ringfence.delivery.enabled", "false")
                        .start();
                ServerProcess second =
                        RedactionNode.named("redacts-b", database).start()) {
            RedactionNode here = RedactionNode.on(first);
            RedactionNode there = here.at(second);
            ObjectNode change = RingfenceClient.object();
            change.putObject("remoteErasure")
                    .put("url", receiver.url("/erase").toString())
                    .put("secret", "a secret of this test");
            here.patch(change).expect(200);
            String epoch = here.admin.enrol(here.app, "shop");
            here.record("shop", epoch, 5).expect(202);
            fill(database);
            receiver.answering(request -> request.sequence() == 1
                    ? TestReceiver.Answer.status(204).heldBy(hold)
                    : TestReceiver.Answer.status(204));

            CompletableFuture<String> other = CompletableFuture.supplyAsync(
                    () -> there.redact("shop").expect(202).body().path("id").asText());
            String id = here.redact("shop").expect(202).body().path("id").asText();
            assertThat(other.join()).isEqualTo(id);
            await().pollInterval(Duration.ofMillis(5)).atMost(PATIENCE).until(() -> left(database) < ROWS);
            boolean firstWorks = worker(database).equals("redacts-a");
            ServerProcess killed = firstWorks ? first : second;
            killed.kill9();
            assertThat(left(database)).as("killed in the middle").isPositive();
            RedactionNode alive = firstWorks ? there : here;

            await("the other node erases the rest").atMost(PATIENCE).until(() -> left(database) == 0);
            await("and asks the endpoint").atMost(PATIENCE).until(() -> receiver.count() == 1);
            killed.restart();
            (firstWorks ? second : first).kill9();
            RedactionNode last = firstWorks ? here : there;
            JsonNode done = last.await(id, "DONE");

            hold.countDown();
            assertThat(stage(done, "REMOTE_ERASE", "status")).isEqualTo("DONE");
            assertThat(Integer.parseInt(stage(done, "REMOTE_ERASE", "attempts")))
                    .isGreaterThanOrEqualTo(2);
            assertThat(Integer.parseInt(stage(done, "ERASE", "attempts"))).isGreaterThanOrEqualTo(2);
            assertThat(receiver.requests())
                    .allSatisfy(
                            request -> assertThat(request.header("webhook-id")).isEqualTo("red_" + id));
            assertThat(database.number("select count(*) from tenant_lifecycle")).isEqualTo(1);
            assertThat(alive.app).isEqualTo(last.app);
        }
    }

    /** Finished events of the tenant, as many as an erasure needs some seconds for. */
    private static void fill(TestDatabase database) {
        database.execute(
                "insert into outbox_events (ordinal, tenant_id, app_id, epoch, request_started_at, event_id, event_name,"
                        + " event_version, occurred_at, recorded_at, producer, aggregate_type, aggregate_id, actor, correlation_id,"
                        + " causation_id, payload, metadata, payload_bytes, payload_sha256, status, available_at, created_at, updated_at)"
                        + " select nextval('ordinals'), t.tenant_id, t.app_id, t.epoch, now(), 'evt_' || n, 'order.order.placed.v1', 1, now(),"
                        + " now(), 'order', 'order', 'o-1', '{}', 'cor_1', 'req_1', '{}', '{}', '{}', sha256('{}'), 'PENDING',"
                        + " now() + interval '1 day', now(), now() from tenant_lifecycle t, generate_series(1, " + ROWS
                        + ") n");
    }

    private static long left(TestDatabase database) {
        return database.number("select count(*) from outbox_events");
    }

    private static String worker(TestDatabase database) {
        return database.number("select count(*) from redactions where locked_by like 'redacts-a/%'") == 1
                ? "redacts-a"
                : "redacts-b";
    }
}
