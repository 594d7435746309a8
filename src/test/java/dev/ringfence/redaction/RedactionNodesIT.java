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

/** Redactions between two nodes: what one tells the other, and {@code kill -9} of the one that works, in the middle of two stages. */
class RedactionNodesIT {
    private static final int ROWS = 150_000;
    private static final int IN_FLIGHT = 10;
    private static final int TRIES = 3;
    private static final String ENDED = IN_FLIGHT + " ended, " + IN_FLIGHT + " begun";

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

    /**
     * A notice may be lost or late, and nothing but time would be lost with it; so one of a few tries must show it. What a request of
     * the other node ended with is seen by a trigger, for the redaction erases it; who worked on the redaction by another, for the node
     * that sends may do so too, and needs no notice then.
     */
    @Test
    @Tag("RD-1")
    @Tag("AT-4")
    void a_notice_ends_what_the_other_node_has_in_flight_and_it_starts_nothing_more() {
        CountDownLatch never = new CountDownLatch(1);
        try (TestDatabase database = TestDatabase.empty();
                TestReceiver receiver = TestReceiver.start();
                ServerProcess redactor = RedactionNode.named("tells", database)
                        .config("ringfence.delivery.enabled", "false")
                        .start();
                ServerProcess sender = RedactionNode.named("hears", database).start()) {
            receiver.answering(request -> TestReceiver.Answer.status(200).heldBy(never));
            RedactionNode node = RedactionNode.on(redactor);
            watchAttempts(database);
            String heard = "";
            for (int i = 0; i < TRIES && !heard.equals(ENDED); i++) {
                heard = endsOfTheTenant("shop-" + i, node, database, receiver);
            }
            assertThat(heard).isEqualTo(ENDED);
            assertThat(sender.isRunning()).isTrue();
        } finally {
            never.countDown();
        }
    }

    /** Redacts a tenant of whose events ten are in flight and twenty wait; how its attempts ended. */
    private static String endsOfTheTenant(
            String tenant, RedactionNode node, TestDatabase database, TestReceiver receiver) {
        String epoch = node.admin.enrol(node.app, tenant);
        ObjectNode subscription = node.subscription(receiver.url("/" + tenant)).put("timeoutMs", 10_000);
        subscription.putObject("limits").put("inFlight", IN_FLIGHT);
        node.subscribe(tenant, subscription);
        node.record(tenant, epoch, 3 * IN_FLIGHT).expect(202);
        await().pollInterval(Duration.ofMillis(10)).atMost(PATIENCE).until(() -> at(receiver, tenant) == IN_FLIGHT);
        long id = database.number("select max(tenant_id) from tenant_lifecycle");
        JsonNode done = node.redacted(tenant);
        assertThat(done.path("unresolved").asInt()).as(done.toString()).isGreaterThanOrEqualTo(IN_FLIGHT);
        return database.number("select count(*) from watched.ends where tenant_id = " + id
                        + " and state = 'UNCERTAIN' and code = 'REDACTED' and not exists (select from watched.workers w"
                        + " where w.redaction_id = '" + done.path("id").asText() + "' and w.worker like 'hears/%')")
                + " ended, " + at(receiver, tenant) + " begun";
    }

    private static long at(TestReceiver receiver, String tenant) {
        return receiver.requests().stream()
                .filter(request -> request.path().equals("/" + tenant))
                .count();
    }

    private static void watchAttempts(TestDatabase database) {
        database.execute("create schema watched");
        database.execute("create table watched.ends (tenant_id bigint, state text, code text)");
        database.execute("create function watched.note() returns trigger language plpgsql as $$ begin"
                + " insert into watched.ends values (new.tenant_id, new.state, new.code); return null; end $$");
        database.execute("create trigger watched after update of state on delivery_attempts for each row"
                + " execute function watched.note()");
        database.execute("create table watched.workers (redaction_id uuid, worker text)");
        database.execute("create function watched.work() returns trigger language plpgsql security definer as $$ begin"
                + " insert into watched.workers values (new.id, new.locked_by); return null; end $$");
        database.execute("create trigger watched_work after update of locked_by on redactions for each row"
                + " execute function watched.work()");
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
