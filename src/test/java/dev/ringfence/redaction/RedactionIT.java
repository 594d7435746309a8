package dev.ringfence.redaction;

import static dev.ringfence.redaction.RedactionNode.PATIENCE;
import static dev.ringfence.redaction.RedactionNode.stage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ringfence.fence.FenceKey;
import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.RingfenceClient.Answer;
import dev.ringfence.harness.ServerProcess;
import dev.ringfence.harness.TestDatabase;
import dev.ringfence.harness.TestReceiver;
import dev.ringfence.signing.Verification;
import dev.ringfence.signing.WebhookSecret;
import dev.ringfence.signing.WebhookVerifier;
import java.nio.file.Files;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Redaction over HTTP on one real server that has the rights of production and no more, with a real receiver. Each test has an
 * application of its own.
 */
class RedactionIT {
    private static final String LOCK_MARKER =
            "select from ringfence.unresolved_markers where reservation_id = '%s' for update nowait";

    private static TestDatabase database;
    private static ServerProcess server;

    private final String tenant = "shop-" + UUID.randomUUID();
    private TestReceiver receiver;
    private RedactionNode node;

    @BeforeAll
    static void start() {
        database = TestDatabase.leastPrivilege();
        server = RedactionNode.named("redacts", database)
                .config("ringfence.schema.migrate", "false")
                .start();
    }

    @AfterAll
    static void stop() {
        server.close();
        database.close();
    }

    @BeforeEach
    void open() {
        receiver = TestReceiver.start();
        node = RedactionNode.on(server);
    }

    @AfterEach
    void close() {
        receiver.close();
    }

    private static long count(String sql) {
        return database.number("select count(*) from " + sql);
    }

    private String mine() {
        return " app_id = '" + node.app + "'";
    }

    @Test
    @Tag("RD-1")
    @Tag("RD-2")
    @Tag("LC-2")
    @Tag("LC-4")
    void a_tenant_that_was_never_enrolled_gets_a_boundary_that_an_earlier_enrolment_does_not_pass() {
        Instant before = Instant.now();

        JsonNode done = node.redacted(tenant);

        assertThat(done.path("stages"))
                .extracting(s -> s.path("status").asText())
                .containsExactly("DONE", "DONE", "DONE", "DONE", "SKIPPED", "DONE");
        assertThat(done.path("unresolved").asInt()).isZero();
        assertThat(done.path("remoteFinality").asText()).isEqualTo("ESTABLISHED");
        assertThat(node.lifecycle(tenant, "phase")).isEqualTo("REDACTED");
        assertThat(node.lifecycle(tenant, "lastRedactedAt"))
                .isEqualTo(done.path("boundary").asText());
        ObjectNode old = RingfenceClient.object()
                .put("requestStartedAt", before.toString())
                .put("skewBoundMs", 0);
        assertThat(node.enrolment(tenant, old).code()).isEqualTo("REQUEST_BEFORE_REDACTION");

        String epoch = node.enrolledAgain(tenant);
        node.record(tenant, epoch, 1).expect(202);
        assertThat(node.lifecycle(tenant, "lastRedactedAt"))
                .isEqualTo(done.path("boundary").asText());
    }

    @Test
    @Tag("RD-3")
    @Tag("RD-2")
    @Tag("LC-7")
    @Tag("FN-2")
    void calls_at_once_are_one_redaction_that_waits_for_the_fence_and_keeps_enrolment_out() throws Exception {
        String epoch = node.admin.enrol(node.app, tenant);
        String id;
        try (Connection holder = database.connect();
                var lock = holder.createStatement()) {
            lock.execute("select pg_advisory_lock_shared("
                    + FenceKey.of(UUID.fromString(node.app), tenant).value() + ")");
            List<CompletableFuture<Answer>> calls = IntStream.range(0, 8)
                    .mapToObj(i -> CompletableFuture.supplyAsync(() -> node.redact(tenant)))
                    .toList();
            Set<String> ids = new java.util.TreeSet<>();
            calls.forEach(
                    call -> ids.add(call.join().expect(202).body().path("id").asText()));
            assertThat(ids).hasSize(1);
            id = ids.iterator().next();
            assertThat(stage(node.await(id, "WAITING"), "FENCE", "code")).isEqualTo("FENCE_TIMEOUT");
            assertThat(node.lifecycle(tenant, "phase")).isEqualTo("ACTIVE");
            assertThat(node.enrolment(tenant, RingfenceClient.object()).code()).isEqualTo("REDACTION_IN_PROGRESS");
            assertThat(node.status(id).body().path("remoteFinality").asText()).isEqualTo("NOT_ESTABLISHED");
            holder.setAutoCommit(false);
            lock.execute("select id from redactions where id = '" + id + "' for update");
            assertThat(node.redact(tenant).expect(202).body().path("id").asText())
                    .as("answered also while the fencing statement, or whoever else, has the row")
                    .isEqualTo(id);
            holder.rollback();
        }

        JsonNode first = node.await(id, "DONE");

        assertThat(node.record(tenant, epoch, 1).code()).isEqualTo("TENANT_REDACTED");
        String between = node.lifecycle(tenant, "epoch");
        JsonNode second = node.redacted(tenant);
        assertThat(second.path("id")).isNotEqualTo(first.path("id"));
        assertThat(Instant.parse(second.path("boundary").asText()))
                .isAfter(Instant.parse(first.path("boundary").asText()));
        assertThat(node.lifecycle(tenant, "epoch")).isNotIn(epoch, between);
        assertThat(count("audit_log where action like 'redaction.%' and" + mine()))
                .isEqualTo(10);
        assertThat(count("tenant_lifecycle where" + mine())).isEqualTo(1);
    }

    @Test
    @Tag("LC-2")
    @Tag("RC-3")
    void nothing_but_an_enrolment_makes_a_redacted_tenant_active() {
        String epoch = node.admin.enrol(node.app, tenant);
        node.redacted(tenant);
        String row =
                database.number("select extract(epoch from updated_at) * 1000000 from tenant_lifecycle where" + mine())
                        + "";

        assertThat(node.record(tenant, epoch, 1).code()).isEqualTo("TENANT_REDACTED");
        assertThat(node.record(tenant, node.lifecycle(tenant, "epoch"), 1).code())
                .isEqualTo("TENANT_REDACTED");
        ObjectNode operation =
                RingfenceClient.object().put("clientOperationId", "op-1").put("epoch", epoch);
        operation.putObject("aggregate").put("type", "order").put("id", "o-1").put("expectedVersion", 0);
        operation.putObject("state");
        operation.putArray("events");
        assertThat(node.admin
                        .post(node.path("/tenants/" + tenant + "/operations"), operation)
                        .code())
                .isEqualTo("TENANT_REDACTED");
        assertThat(node.admin
                        .post(
                                node.path("/tenants/" + tenant + "/subscriptions"),
                                node.subscription(receiver.url("/hook")))
                        .code())
                .isEqualTo("TENANT_REDACTED");
        ObjectNode theme = RingfenceClient.object()
                .put("epoch", epoch)
                .put("publishedThemeId", "theme-1")
                .put("themeCheckedAt", Instant.now().toString());
        assertThat(node.admin
                        .put(node.path("/tenants/" + tenant + "/theme"), theme)
                        .code())
                .isEqualTo("TENANT_REDACTED");
        ObjectNode tracking = RingfenceClient.object().put("epoch", epoch).put("enabled", true);
        assertThat(node.admin
                        .put(node.path("/tenants/" + tenant + "/tracking"), tracking)
                        .code())
                .isEqualTo("TENANT_REDACTED");
        node.admin.get(node.path("/tenants/" + tenant)).expect(200);
        node.admin.get(node.path("/deliveries?tenant=" + tenant)).expect(200);
        node.admin.get(node.path("/events?tenant=" + tenant)).expect(200);
        String other = "other-" + tenant;
        assertThat(node.record(other, epoch, 1).code()).isEqualTo("STALE_EPOCH");

        assertThat(count("tenant_lifecycle where" + mine())).isEqualTo(1);
        assertThat(database.number(
                                "select extract(epoch from updated_at) * 1000000 from tenant_lifecycle where" + mine())
                        + "")
                .as("the row was not even touched")
                .isEqualTo(row);
        Answer saved = node.save(tenant, epoch, "later");
        assertThat(saved.body().at("/tracking/reason").asText(saved.code()))
                .isIn("TENANT_REDACTED", "REQUEST_BEFORE_REDACTION");
        assertThat(node.lifecycle(tenant, "phase")).isEqualTo("REDACTED");
    }

    @Test
    @Tag("RC-3")
    @Tag("RC-4")
    void after_a_reinstallation_the_same_occurrences_are_others_and_work_of_before_stays_out() {
        String before = node.admin.enrol(node.app, tenant);
        List<JsonNode> events = List.of(RedactionNode.event("o-1"), milestone());
        JsonNode first = node.admin
                .record(node.app, tenant, before, events)
                .expect(202)
                .body()
                .path("results");
        node.redacted(tenant);
        String after = node.enrolledAgain(tenant);

        assertThat(node.admin.record(node.app, tenant, before, events).code())
                .as("late work of the first installation")
                .isEqualTo("STALE_EPOCH");
        JsonNode second = node.admin
                .record(node.app, tenant, after, events)
                .expect(202)
                .body()
                .path("results");
        for (int i = 0; i < events.size(); i++) {
            assertThat(second.get(i).path("deduplicated").asBoolean()).isFalse();
            assertThat(second.get(i).path("eventId").asText())
                    .isNotEqualTo(first.get(i).path("eventId").asText());
            assertThat(second.get(i).path("ordinal").asLong())
                    .isGreaterThan(first.get(1).path("ordinal").asLong());
        }
        assertThat(count("outbox_events where" + mine())).isEqualTo(2);
    }

    private static ObjectNode milestone() {
        ObjectNode event = RedactionNode.event("save-1").put("milestone", true);
        event.putObject("context")
                .put("configurationRevision", 0)
                .put("enableGeneration", 0)
                .putNull("publishedThemeId");
        return event;
    }

    @Test
    @Tag("RD-1")
    @Tag("RD-2")
    @Tag("AT-4")
    @Tag("AT-8")
    void what_is_in_flight_is_ended_and_stays_disclosed_until_somebody_has_looked() {
        CountDownLatch hold = new CountDownLatch(1);
        receiver.answering(request -> TestReceiver.Answer.status(200).heldBy(hold));
        String epoch = node.admin.enrol(node.app, tenant);
        node.subscribe(tenant, node.subscription(receiver.url("/hook")).put("timeoutMs", 10_000));
        node.record(tenant, epoch, 3).expect(202);
        await().atMost(PATIENCE).until(() -> receiver.count() == 3);

        JsonNode done = node.redacted(tenant);
        hold.countDown();

        String id = done.path("id").asText();
        assertThat(done.path("unresolved").asInt()).isEqualTo(3);
        assertThat(done.path("remoteFinality").asText()).isEqualTo("NOT_ESTABLISHED");
        JsonNode first = node.admin
                .get(node.path("/redactions/" + id + "/markers?limit=2"))
                .expect(200)
                .body();
        assertThat(first.path("items")).hasSize(2);
        JsonNode rest = node.admin
                .get(node.path("/redactions/" + id + "/markers?limit=2&cursor="
                        + first.path("next").asText()))
                .expect(200)
                .body();
        assertThat(rest.path("items")).hasSize(1);
        JsonNode marker = rest.path("items").get(0);
        assertThat(marker.path("epoch").asText()).isEqualTo(epoch);
        assertThat(marker.path("bodySha256").asText()).matches("[0-9a-f]{64}");
        assertThat(marker.path("eventId").asText()).startsWith("evt_");

        List<String> all = List.of(
                first.at("/items/0/reservationId").asText(),
                first.at("/items/1/reservationId").asText(),
                marker.path("reservationId").asText());
        assertThat(reconcile(id, "PRESENT", all)
                        .expect(200)
                        .body()
                        .path("unresolved")
                        .asInt())
                .isEqualTo(3);
        Answer unknown =
                reconcile(id, "ABSENT", List.of(all.get(0), UUID.randomUUID().toString()));
        assertThat(unknown.status()).isEqualTo(422);
        assertThat(unknown.body().at("/errors/0/pointer").asText()).isEqualTo("/markers/1");
        assertThat(node.status(id).body().path("unresolved").asInt())
                .as("nothing of it was done")
                .isEqualTo(3);
        JsonNode second = node.redacted(tenant);
        String again = second.path("id").asText();
        assertThat(again).isNotEqualTo(id);
        assertThat(second.path("unresolved").asInt())
                .as("redacting again hides nothing")
                .isEqualTo(3);
        assertThat(second.path("remoteFinality").asText()).isEqualTo("NOT_ESTABLISHED");
        assertThat(node.admin
                        .get(node.path("/redactions/" + again + "/markers"))
                        .body()
                        .path("items"))
                .hasSize(3);
        assertThat(reconcile(again, "ABSENT", all.subList(0, 2))
                        .expect(200)
                        .body()
                        .path("remoteFinality")
                        .asText())
                .isEqualTo("NOT_ESTABLISHED");
        JsonNode last = reconcile(id, "ERASED", all.subList(2, 3)).expect(200).body();
        assertThat(last.path("unresolved").asInt()).isZero();
        assertThat(last.path("remoteFinality").asText()).isEqualTo("ESTABLISHED");
        assertThat(node.status(again).body().path("remoteFinality").asText()).isEqualTo("ESTABLISHED");
        assertThat(reconcile(id, "ABSENT", all.subList(2, 3))
                        .body()
                        .at("/errors/0/code")
                        .asText())
                .isEqualTo("ALREADY_RESOLVED");
        assertThat(count("audit_log where action = 'redaction.reconcile' and" + mine()))
                .isEqualTo(3);

        RedactionNode stranger = RedactionNode.on(server);
        stranger.admin.get(stranger.path("/redactions/" + id)).expect(404);
        ObjectNode foreign = RingfenceClient.object().put("finding", "ABSENT").put("reason", "not mine");
        foreign.putArray("markers").add(all.get(0));
        stranger.admin
                .post(stranger.path("/redactions/" + id + "/reconcile"), foreign)
                .expect(404);
    }

    /** Whoever waits for the first marker holds none of the others, in whatever order they were named. */
    @Test
    @Tag("AT-8")
    void markers_are_locked_in_one_order() throws Exception {
        CountDownLatch hold = new CountDownLatch(1);
        receiver.answering(request -> TestReceiver.Answer.status(200).heldBy(hold));
        String epoch = node.admin.enrol(node.app, tenant);
        node.subscribe(tenant, node.subscription(receiver.url("/hook")).put("timeoutMs", 10_000));
        node.record(tenant, epoch, 2).expect(202);
        await().atMost(PATIENCE).until(() -> receiver.count() == 2);
        String id = node.redacted(tenant).path("id").asText();
        hold.countDown();
        List<UUID> ordered = new ArrayList<>(new TreeSet<>(node
                .admin
                .get(node.path("/redactions/" + id + "/markers"))
                .body()
                .path("items")
                .findValuesAsText("reservationId")
                .stream()
                .map(UUID::fromString)
                .toList()));
        assertThat(ordered).hasSize(2);

        CompletableFuture<Answer> waits;
        try (Connection holder = database.connect();
                var statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            statement.execute(LOCK_MARKER.formatted(ordered.get(0)));
            waits = CompletableFuture.supplyAsync(() -> reconcile(
                    id,
                    "ABSENT",
                    List.of(ordered.get(1).toString(), ordered.get(0).toString())));
            await().atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(10))
                    .until(() ->
                            waits.isDone() || database.number("select count(*) from pg_locks where not granted") > 0);
            assertThat(waits).as("waits").isNotDone();
            assertThat(statement.execute(LOCK_MARKER.formatted(ordered.get(1)))).isTrue();
            holder.rollback();
        }
        waits.join().expect(200);
    }

    private Answer reconcile(String id, String finding, List<String> markers) {
        ObjectNode body = RingfenceClient.object().put("finding", finding).put("reason", "looked at the receiver");
        markers.forEach(body.putArray("markers")::add);
        return node.admin.post(node.path("/redactions/" + id + "/reconcile"), body);
    }

    @Test
    @Tag("RD-1")
    @Tag("AT-8")
    void queued_work_is_never_sent_and_spent_attempts_of_before_leave_markers() {
        receiver.answering(request -> TestReceiver.Answer.status(503));
        String epoch = node.admin.enrol(node.app, tenant);
        node.subscribe(tenant, node.subscription(receiver.url("/hook")));
        node.record(tenant, epoch, 5).expect(202);
        await().atMost(PATIENCE)
                .until(() -> count("delivery_attempts where state = 'UNCERTAIN' and tenant_id = " + tenantId()) == 5);

        JsonNode done = node.redacted(tenant);
        int seen = receiver.count();

        assertThat(done.path("unresolved").asInt()).isEqualTo(5);
        String again = node.enrolledAgain(tenant);
        node.record(tenant, again, 1).expect(202);
        await().atMost(PATIENCE).until(() -> count("outbox_events where status = 'PUBLISHED' and" + mine()) == 1);
        assertThat(receiver.count())
                .as("the subscription went, and so did what waited")
                .isEqualTo(seen);
    }

    private long tenantId() {
        return database.number("select tenant_id from tenant_lifecycle where" + mine());
    }

    @Test
    @Tag("RD-4")
    void nothing_of_the_tenant_is_left_in_any_table_or_in_the_log() throws Exception {
        String canary = "canary" + UUID.randomUUID().toString().replace("-", "");
        String name = canary + "-shop";
        String secret = "whsec_" + java.util.Base64.getEncoder().encodeToString((canary + "secret").getBytes());
        String consumer = "inbox-" + canary.substring(0, 16);
        node.admin
                .post(
                        "inbox-consumers",
                        RingfenceClient.object()
                                .put("name", consumer)
                                .put("scheme", "webhook-id")
                                .put("secret", secret))
                .expect(201);
        String epoch = node.admin.enrol(node.app, name);
        ObjectNode toInbox = node.subscription(server.api().resolve("inbox/" + consumer));
        toInbox.put("name", canary)
                .putArray("signing")
                .addObject()
                .put("scheme", "webhook-id")
                .put("secret", secret);
        node.subscribe(name, toInbox);
        ObjectNode failing = node.subscription(receiver.url("/" + canary)).put("name", canary);
        failing.putObject("headers").put("X-Canary", canary);
        failing.putObject("auth").put("type", "bearer").put("token", canary);
        failing.putObject("envelope").put(canary, "{{payload}} for {{tenant}}");
        receiver.answering(request -> TestReceiver.Answer.of(503, "\"" + canary + "\""));
        node.subscribe(name, failing);
        ObjectNode event = RedactionNode.event(canary);
        event.put("workspaceId", canary).put("aggregateId", canary).put("orderingKey", canary);
        event.putObject("metadata").put("note", canary);
        ObjectNode recording = RingfenceClient.object().put("epoch", epoch);
        recording.putArray("events").add(event);
        node.post(node.path("/tenants/" + name + "/events"), canary, recording).expect(202);
        ObjectNode operation =
                RingfenceClient.object().put("clientOperationId", canary).put("epoch", epoch);
        operation.putObject("aggregate").put("type", "order").put("id", canary).put("expectedVersion", 0);
        operation.putObject("state").put("note", canary);
        operation.putArray("events").add(RedactionNode.event("operation-" + canary));
        node.post(node.path("/tenants/" + name + "/operations"), canary, operation)
                .expect(200);
        assertThat(node.save(name, epoch, canary)
                        .expect(200)
                        .body()
                        .at("/tracking/recorded")
                        .asBoolean())
                .isTrue();
        ObjectNode theme = RingfenceClient.object()
                .put("epoch", epoch)
                .put("publishedThemeId", canary)
                .put("themeCheckedAt", Instant.now().toString());
        node.admin.put(node.path("/tenants/" + name + "/theme"), theme).expect(200);
        long id = tenantId();
        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(count("inbox_events where consumer = '" + consumer + "'"))
                    .as("events in the inbox: recorded, of an operation, a milestone")
                    .isEqualTo(3);
            assertThat(count("delivery_attempts where http_status = 503 and tenant_id = " + id))
                    .as("attempts that the receiver refused")
                    .isGreaterThanOrEqualTo(3);
        });
        // as if a delivery of the key had died
        database.execute("insert into ringfence.order_blocks select id, '" + canary + "', 1, 1, tenant_id, now()"
                + " from ringfence.subscriptions where tenant_id = " + id + " limit 1");
        assertThat(Dump.tablesWith(database, canary))
                .as("where the canary was planted")
                .contains(
                        "ringfence.tenant_lifecycle",
                        "ringfence.tenant_settings",
                        "ringfence.subscriptions",
                        "ringfence.aggregates",
                        "ringfence.ordering_keys",
                        "ringfence.order_blocks",
                        "ringfence.operation_receipts",
                        "ringfence.idempotency_keys",
                        "ringfence.deliveries_live")
                .anyMatch(table -> table.startsWith("ringfence.outbox_events_"));
        assertThat(count("event_keys where tenant_id = " + id)).isEqualTo(3);
        assertThat(count("deliveries_live where position('" + canary + "' in convert_from(body_bytes, 'UTF8')) > 0"))
                .as("bodies of a template")
                .isEqualTo(3);

        ObjectNode order = RingfenceClient.object().put("reason", "the customer asked for it");
        String redaction = node.post(node.path("/tenants/" + name + "/redactions"), "key-of-the-redaction", order)
                .expect(202)
                .body()
                .path("id")
                .asText();
        node.await(redaction, "DONE");

        assertThat(Dump.tablesWith(database, canary)).isEmpty();
        assertThat(count("inbox_events where consumer = '" + consumer + "'")).isZero();
        assertThat(count("event_keys where tenant_id = " + id)).isZero();
        assertThat(count("delivery_keys k where not exists (select from deliveries d where d.id = k.delivery_id)"))
                .isZero();
        assertThat(count("subscription_secrets s join subscriptions x on x.id = s.subscription_id where x.tenant_id = "
                        + id))
                .isZero();
        assertThat(Files.readString(server.log())).doesNotContain(canary);
        assertThat(server.logTail(100_000)).doesNotContain(canary);
        assertThat(node.post(node.path("/tenants/" + name + "/redactions"), "key-of-the-redaction", order)
                        .expect(202)
                        .body()
                        .path("id")
                        .asText())
                .as("its own idempotency key still works")
                .isEqualTo(redaction);
    }

    @Test
    @Tag("RD-1")
    void a_row_in_a_table_that_nobody_erases_keeps_the_redaction_from_being_done() {
        node.admin.enrol(node.app, tenant);
        database.execute("create table forgotten as select tenant_id from tenant_lifecycle where" + mine());
        String id = node.redact(tenant).expect(202).body().path("id").asText();

        await().atMost(PATIENCE)
                .until(() -> Integer.parseInt(stage(node.status(id).body(), "VERIFY", "attempts")) >= 2);
        JsonNode waiting = node.status(id).body();
        assertThat(waiting.path("status").asText()).isNotEqualTo("DONE");
        assertThat(stage(waiting, "VERIFY", "code")).isEqualTo("ROWS_LEFT");
        assertThat(Integer.parseInt(stage(waiting, "ERASE", "attempts"))).isGreaterThanOrEqualTo(2);
        assertThat(node.enrolment(tenant, RingfenceClient.object()).code()).isEqualTo("REDACTION_IN_PROGRESS");

        database.execute("drop table forgotten");
        node.await(id, "DONE");
    }

    @Test
    @Tag("RD-1")
    @Tag("RD-4")
    void a_tenant_of_fifty_thousand_rows_goes_in_chunks_of_a_transaction_each() throws Exception {
        node.admin.enrol(node.app, tenant);
        String rows = " from tenant_lifecycle t, generate_series(1, 10000) n where t." + mine().strip();
        database.execute("insert into event_keys (event_id, tenant_id, epoch, content_sha256, ordinal, recorded_at)"
                + " select 'evt_many_' || n, t.tenant_id, t.epoch, sha256('x'), nextval('ordinals'), t.created_at"
                + rows);
        database.execute(
                "insert into outbox_events (ordinal, tenant_id, app_id, epoch, request_started_at, event_id, event_name, event_version,"
                        + " occurred_at, recorded_at, producer, aggregate_type, aggregate_id, actor, correlation_id, causation_id, payload,"
                        + " metadata, payload_bytes, payload_sha256, status, available_at, created_at, updated_at)"
                        + " select k.ordinal, k.tenant_id, t.app_id, k.epoch, now(), k.event_id, 'orders.order.placed.v1', 1, now(),"
                        + " k.recorded_at, 'orders', 'order', 'o-1', '{}', 'cor_1', 'req_1', '{}', '{}', '{}', sha256('{}'), 'PENDING',"
                        + " now() + interval '1 day', now(), now() from event_keys k join tenant_lifecycle t using (tenant_id) where t."
                        + mine().strip());
        database.execute(
                "insert into deliveries (id, tenant_id, app_id, epoch, subscription_id, event_ordinal, event_recorded_at, event_id,"
                        + " message_id, mode, state, url, protocol, cycle_started_at, next_attempt_at, created_at, updated_at)"
                        + " select nextval('ordinals'), e.tenant_id, e.app_id, e.epoch, gen_random_uuid(), e.ordinal, e.recorded_at,"
                        + " e.event_id, 'msg', 'PUSH', 'pending', 'http://127.0.0.1:9/', 1, now(), now() + interval '1 day',"
                        + " e.recorded_at, now() from outbox_events e where e." + mine().strip());
        database.execute(
                "insert into delivery_keys select event_ordinal, subscription_id, id, created_at from deliveries where"
                        + mine());
        database.execute(
                "insert into delivery_attempts (delivery_id, delivery_created_at, number, cycle, tenant_id, reservation_id, state,"
                        + " node, started_at, send_by) select id, created_at, 1, 1, tenant_id, gen_random_uuid(), 'SENDING', 'node', now(), now()"
                        + " from deliveries where" + mine());
        long id = tenantId();
        database.execute(
                "update delivery_attempts set state = case when delivery_id % 2 = 0 then 'UNCERTAIN' else 'ACKNOWLEDGED' end,"
                        + " finished_at = now() where tenant_id = " + id);
        List<String> tables =
                List.of("event_keys", "outbox_events", "deliveries", "delivery_keys", "delivery_attempts");
        countChunks(tables);

        JsonNode done = node.redacted(tenant);

        assertThat(done.path("unresolved").asInt()).isEqualTo(5_000);
        for (String table : tables) {
            String of = " from chunks.erased where source = '" + table + "'";
            assertThat(database.number("select sum(count)" + of)).as(table).isEqualTo(10_000);
            assertThat(database.number("select max(count)" + of)).as(table).isLessThanOrEqualTo(1_000);
            assertThat(database.number("select count(distinct tx)" + of))
                    .as(table)
                    .isEqualTo(10);
        }
        superuser("drop schema chunks cascade");
    }

    /** Notes of each deleting statement how many rows it took, and in which transaction. */
    private static void countChunks(List<String> tables) throws Exception {
        superuser("create schema chunks");
        superuser("create table chunks.erased (source text, count bigint, tx xid8)");
        superuser("create function chunks.note() returns trigger language plpgsql security definer as $$ begin"
                + " insert into chunks.erased select tg_argv[0], count(*), pg_current_xact_id() from gone having count(*) > 0;"
                + " return null; end $$");
        superuser("grant usage on schema chunks to ringfence_owner; grant select on chunks.erased to ringfence_owner");
        for (String table : tables) {
            superuser("create trigger chunks after delete on ringfence." + table
                    + " referencing old table as gone for each statement" + " execute function chunks.note('" + table
                    + "')");
        }
    }

    private static void superuser(String sql) throws Exception {
        try (Connection connection = database.superuser();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    @Tag("RD-1")
    @Tag("RD-2")
    void the_applications_own_endpoint_is_asked_until_it_accepts() {
        WebhookSecret secret = WebhookSecret.generate();
        receiver.answering(request -> TestReceiver.Answer.status(request.sequence() < 3 ? 500 : 204));
        remoteErasure(secret);
        String epoch = node.admin.enrol(node.app, tenant);

        JsonNode done = node.redacted(tenant);

        assertThat(stage(done, "REMOTE_ERASE", "status")).isEqualTo("DONE");
        assertThat(stage(done, "REMOTE_ERASE", "attempts")).isEqualTo("3");
        assertThat(receiver.requests()).hasSize(3).allSatisfy(request -> {
            assertThat(WebhookVerifier.verify(
                            request.headers(), request.body(), List.of(secret), Duration.ofMinutes(5), Instant.now()))
                    .isInstanceOf(Verification.Valid.class);
            JsonNode body = RingfenceClient.JSON.readTree(request.body());
            assertThat(body.path("appId").asText()).isEqualTo(node.app);
            assertThat(body.path("tenant").asText()).isEqualTo(tenant);
            assertThat(body.path("epoch").asText()).isEqualTo(epoch);
            assertThat(Instant.parse(body.path("boundary").asText()))
                    .isEqualTo(Instant.parse(done.path("boundary").asText()));
            assertThat(body.path("redactionId")).isEqualTo(done.path("id"));
        });
        assertThat(count("redactions where tenant is not null and" + mine())).isZero();
    }

    @Test
    @Tag("RD-2")
    void an_endpoint_that_is_down_fails_the_redaction_until_it_is_requested_again() {
        remoteErasure(WebhookSecret.generate());
        receiver.answering(request -> TestReceiver.Answer.status(500));
        String id = node.redact(tenant).expect(202).body().path("id").asText();
        await().atMost(PATIENCE)
                .until(() ->
                        stage(node.status(id).body(), "REMOTE_ERASE", "code").equals("SERVER_ERROR"));
        database.execute("update redaction_stages set attempts = 19 where stage = 'REMOTE_ERASE' and redaction_id = '"
                + id + "'");

        JsonNode failed = node.await(id, "FAILED");

        assertThat(stage(failed, "REMOTE_ERASE", "status")).isEqualTo("FAILED");
        assertThat(stage(failed, "VERIFY", "status")).isEqualTo("PENDING");
        assertThat(node.lifecycle(tenant, "phase"))
                .as("fenced and erased all the same")
                .isEqualTo("REDACTED");
        assertThat(node.enrolment(tenant, RingfenceClient.object()).code()).isEqualTo("REDACTION_IN_PROGRESS");
        receiver.answering(request -> TestReceiver.Answer.status(202));
        assertThat(node.redact(tenant).expect(202).body().path("id").asText()).isEqualTo(id);
        assertThat(stage(node.await(id, "DONE"), "REMOTE_ERASE", "status")).isEqualTo("DONE");
    }

    /** As after a restore beside another {@code ringfence.secrets.key}. */
    @Test
    @Tag("RD-2")
    void an_endpoint_whose_secret_cannot_be_read_fails_the_redaction_too() {
        remoteErasure(WebhookSecret.generate());
        database.execute(
                "update apps set remote_erasure_secret = overlay(remote_erasure_secret placing '\\x0000'::bytea from 20)"
                        + " where id = '" + node.app + "'");
        String id = node.redact(tenant).expect(202).body().path("id").asText();
        await().atMost(PATIENCE)
                .until(() ->
                        stage(node.status(id).body(), "REMOTE_ERASE", "code").equals("SECRET_UNREADABLE"));
        database.execute("update redaction_stages set attempts = 19 where stage = 'REMOTE_ERASE' and redaction_id = '"
                + id + "'");

        assertThat(stage(node.await(id, "FAILED"), "REMOTE_ERASE", "status")).isEqualTo("FAILED");
        assertThat(receiver.count()).isZero();
        remoteErasure(WebhookSecret.generate());
        receiver.answering(request -> TestReceiver.Answer.status(202));
        node.redact(tenant).expect(202);
        assertThat(stage(node.await(id, "DONE"), "REMOTE_ERASE", "status")).isEqualTo("DONE");
    }

    @Test
    @Tag("RD-2")
    void a_remote_erasure_that_is_not_wanted_is_skipped() {
        remoteErasure(WebhookSecret.generate());
        String id = node.redact(tenant, RingfenceClient.object().put("remoteErasure", false))
                .expect(202)
                .body()
                .path("id")
                .asText();

        assertThat(stage(node.await(id, "DONE"), "REMOTE_ERASE", "status")).isEqualTo("SKIPPED");
        assertThat(receiver.count()).isZero();
    }

    private void remoteErasure(WebhookSecret secret) {
        ObjectNode change = RingfenceClient.object();
        change.putObject("remoteErasure")
                .put("url", receiver.url("/erase").toString())
                .put("secret", secret.reveal());
        node.patch(change).expect(200);
    }

    @Test
    @Tag("OP-1")
    @Tag("SC-1")
    void only_an_operator_redacts_and_says_why() {
        RingfenceClient client = node.admin.as(node.admin.createKey(node.app, "client", "client"));
        RingfenceClient operator = node.admin.as(node.admin.createKey(node.app, "ann", "operator"));
        String path = node.path("/tenants/" + tenant + "/redactions");
        ObjectNode order = RingfenceClient.object().put("reason", "asked for");

        client.post(path, order).expect(403);
        operator.post(path, RingfenceClient.object()).expect(422);
        String id = operator.post(path, order).expect(202).body().path("id").asText();

        client.get(node.path("/redactions/" + id)).expect(200);
        node.await(id, "DONE");
        assertThat(count(
                        "audit_log where action = 'redaction.request' and reason = 'asked for' and actor like '%(ann)' and target = '"
                                + id + "' and" + mine()))
                .isEqualTo(1);
    }

    @Test
    @Tag("RT-2")
    void disabling_an_application_cancels_what_is_queued_and_enabling_brings_nothing_back() {
        receiver.answering(request -> TestReceiver.Answer.status(503));
        String epoch = node.admin.enrol(node.app, tenant);
        node.subscribe(tenant, node.subscription(receiver.url("/hook")));
        node.record(tenant, epoch, 5).expect(202);
        await().atMost(PATIENCE).until(() -> count("deliveries where state = 'retrying' and" + mine()) == 5);
        database.execute("update deliveries set next_attempt_at = now() + interval '1 hour' where" + mine());
        database.execute(
                "insert into outbox_events (ordinal, tenant_id, app_id, epoch, request_started_at, event_id, event_name, event_version,"
                        + " occurred_at, recorded_at, producer, aggregate_type, aggregate_id, actor, correlation_id, causation_id, payload,"
                        + " metadata, payload_bytes, payload_sha256, status, available_at, created_at, updated_at)"
                        + " select nextval('ordinals'), t.tenant_id, t.app_id, t.epoch, now(), 'evt_late_' || n, 'orders.order.placed.v1', 1,"
                        + " now(), now(), 'orders', 'order', 'o-1', '{}', 'cor_1', 'req_1', '{}', '{}', '{}', sha256('{}'), 'PENDING',"
                        + " now() + interval '1 day', now(), now() from tenant_lifecycle t, generate_series(1, 1500) n where"
                        + mine());
        int seen = receiver.count();
        String before = node.admin
                .get(node.path("/tenants/" + tenant))
                .expect(200)
                .body()
                .toString();

        node.patch(RingfenceClient.object().put("enabled", false)).expect(422);
        node.patch(RingfenceClient.object().put("enabled", false).put("reason", "gone"))
                .expect(200);

        await().atMost(PATIENCE)
                .until(() ->
                        count("deliveries where state = 'failed' and last_code = 'APP_DISABLED' and" + mine()) == 5);
        assertThat(node.record(tenant, epoch, 1).code()).isEqualTo("APP_DISABLED");
        assertThat(count("deliveries where attempts = 1 and" + mine()))
                .as("counts stay")
                .isEqualTo(5);
        await().atMost(PATIENCE)
                .until(() -> node.patch(RingfenceClient.object().put("enabled", true))
                                .status()
                        == 200);
        assertThat(count("outbox_events where status = 'DISCARDED' and last_error_code = 'APP_DISABLED' and" + mine()))
                .as("recorded, and not fanned out yet")
                .isEqualTo(1_500);
        assertThat(node.admin
                        .get(node.path("/tenants/" + tenant))
                        .expect(200)
                        .body()
                        .toString())
                .as("epoch, boundary, generation and revision stay")
                .isEqualTo(before);
        database.execute("update outbox_events set available_at = now() where" + mine());
        node.record(tenant, epoch, 1).expect(202);
        await().atMost(PATIENCE).until(() -> receiver.count() > seen);
        assertThat(count("outbox_events where status = 'DISCARDED' and" + mine()))
                .as("for good")
                .isEqualTo(1_500);
        assertThat(receiver.count()).as("the new event and nothing else").isEqualTo(seen + 1);
        assertThat(count(
                        "outbox_events e join app_cancellations c on c.app_id = e.app_id and e.ordinal > c.enabled_from where e."
                                + mine().strip()))
                .as("of all events only the new one has a number that is sent")
                .isEqualTo(1);
        assertThat(count("audit_log where action in ('app.disable', 'app.enable') and" + mine()))
                .isEqualTo(2);
    }
}
