package dev.ringfence.recording;

import static dev.ringfence.recording.RecordingFixture.EPOCH;
import static dev.ringfence.recording.RecordingFixture.SHOP;
import static dev.ringfence.recording.RecordingFixture.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.ApiProblem;
import dev.ringfence.harness.RecordedRows;
import dev.ringfence.lifecycle.CallerStart;
import dev.ringfence.outbox.EventAt;
import dev.ringfence.outbox.StorageException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Recording of events on PostgreSQL. */
@Timeout(120)
class RecorderIT {
    private static final String EVENTS = "select count(*) from ringfence.outbox_events";
    private static final String KEYS = "select count(*) from ringfence.event_keys";

    /** Lets the statements of several clients overlap, so that they would deadlock if each took its keys in its own order. */
    private static final String SLOW_KEYS = """
            create function ringfence.slow() returns trigger language plpgsql as
              $$ begin perform pg_sleep(0.01); return new; end $$;
            create trigger slow before insert on ringfence.event_keys for each row execute function ringfence.slow()""";

    private RecordingFixture shop = new RecordingFixture();

    @AfterEach
    void drop() {
        shop.close();
    }

    private ApiProblem refused(Callable<?> work) {
        ApiProblem problem = catchThrowableOfType(ApiProblem.class, work::call);
        assertThat(problem).as("the request is accepted").isNotNull();
        return problem;
    }

    private void nothingIsRecorded() {
        assertThat(shop.database.number(EVENTS)).isZero();
        assertThat(shop.database.number(KEYS)).isZero();
        assertThat(shop.fired).isEmpty();
    }

    @Test
    @Tag("RC-5")
    void stores_the_bytes_that_will_be_sent_with_their_hash() throws Exception {
        String payload = "{\"zebra\":1, \"log\":\"\\u001B[31m é\", \"alpha\":1e3, \"z\":-0}";
        String id =
                shop.record(event("o1", payload, "")).at("/results/0/eventId").textValue();
        try (Connection connection = shop.database.connect();
                ResultSet row = connection
                        .createStatement()
                        .executeQuery("select payload_bytes, payload_sha256, event_id, payload from outbox_events")) {
            assertThat(row.next()).isTrue();
            assertThat(new String(row.getBytes(1), StandardCharsets.UTF_8))
                    .contains("\"eventId\":\"" + id + "\"")
                    .contains("\"payload\":" + payload);
            assertThat(row.getBytes(2))
                    .isEqualTo(MessageDigest.getInstance("SHA-256").digest(row.getBytes(1)));
            assertThat(row.getString(3)).isEqualTo(id);
            assertThat(row.getString(4)).contains("1000");
        }
        assertThat(shop.fired).containsExactly(new Recorded(1, RecordedRows.of(shop.database)));
    }

    @Test
    @Tag("RC-4")
    void the_same_occurrence_twice_is_one_row() {
        String key = "\"occurrenceKey\":\"k1\",";
        JsonNode first = shop.record(event("o1", "{\"a\":1000}", key));
        JsonNode again = shop.record(event("o1", "{ \"a\" : 1e3 }", key), event("o2", "{}", ""));
        assertThat(first.at("/results/0/deduplicated").booleanValue()).isFalse();
        assertThat(again.at("/results/0/deduplicated").booleanValue()).isTrue();
        assertThat(again.at("/results/0/eventId")).isEqualTo(first.at("/results/0/eventId"));
        assertThat(again.at("/results/0/ordinal")).isEqualTo(first.at("/results/0/ordinal"));
        assertThat(again.at("/results/1/deduplicated").booleanValue()).isFalse();
        assertThat(shop.database.number(EVENTS)).isEqualTo(2);
        List<EventAt> rows = RecordedRows.of(shop.database);
        assertThat(shop.fired)
                .containsExactly(new Recorded(1, rows.subList(0, 1)), new Recorded(1, rows.subList(1, 2)));
    }

    @Test
    @Tag("RC-4")
    void a_key_with_other_content_is_refused_with_its_place_and_nothing_is_recorded() {
        shop.record(event("o1", "{\"a\":1}", "\"occurrenceKey\":\"k1\","));
        ApiProblem problem = refused(
                () -> shop.record(event("o2", "{}", ""), event("o1", "{\"a\":2}", "\"occurrenceKey\":\"k1\",")));
        assertThat(problem.status()).isEqualTo(422);
        assertThat(problem.code()).isEqualTo("OCCURRENCE_KEY_REUSED");
        assertThat(problem.errors()).extracting("pointer").containsExactly("/events/1/occurrenceKey");
        assertThat(shop.database.number(EVENTS)).isEqualTo(1);
    }

    @Test
    @Tag("RC-4")
    void a_key_twice_in_one_request_is_one_row_or_a_refusal() {
        String same = event("o1", "{\"a\":1}", "\"occurrenceKey\":\"k1\",");
        JsonNode answer = shop.record(same, event("o2", "{}", ""), same);
        assertThat(answer.at("/results/2/deduplicated").booleanValue()).isTrue();
        assertThat(answer.at("/results/2/eventId")).isEqualTo(answer.at("/results/0/eventId"));
        assertThat(shop.database.number(EVENTS)).isEqualTo(2);
        ApiProblem problem = refused(() -> shop.record(
                event("o3", "{\"a\":1}", "\"occurrenceKey\":\"k2\","),
                event("o3", "{\"a\":2}", "\"occurrenceKey\":\"k2\",")));
        assertThat(problem.errors()).extracting("pointer").containsExactly("/events/1/occurrenceKey");
    }

    @Test
    @Tag("RC-4")
    void ten_clients_that_record_the_same_occurrences_at_once_make_one_row_each() throws Exception {
        int occurrences = 6;
        shop.database.execute(SLOW_KEYS);
        List<String> events = IntStream.range(0, occurrences)
                .mapToObj(i -> event("o" + i, "{}", "\"occurrenceKey\":\"k" + i + "\","))
                .toList();
        List<String> reversed = new ArrayList<>(events);
        Collections.reverse(reversed);
        List<Callable<JsonNode>> clients = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            String[] order = (i % 2 == 0 ? events : reversed).toArray(String[]::new);
            clients.add(() -> shop.record(order));
        }
        List<JsonNode> results = allAtOnce(clients).stream()
                .flatMap(answer -> StreamSupport.stream(answer.path("results").spliterator(), false))
                .toList();
        assertThat(shop.database.number(EVENTS)).isEqualTo(occurrences);
        assertThat(results.stream()
                        .filter(result -> !result.path("deduplicated").booleanValue()))
                .hasSize(occurrences);
        assertThat(results.stream()
                        .map(result -> result.path("eventId").asText())
                        .distinct())
                .hasSize(occurrences);
    }

    /** Keeps the tenant fenced until everybody waits for it. */
    private <T> List<T> allAtOnce(List<Callable<T>> work) throws Exception {
        ExecutorService starter = Executors.newSingleThreadExecutor();
        try (Connection holder = shop.database.connect()) {
            holder.createStatement()
                    .execute("select pg_advisory_lock(" + SHOP.fenceKey().value() + ")");
            Future<List<T>> results = starter.submit(() -> all(work));
            await().until(() -> shop.database.number(
                            "select count(*) from pg_locks where locktype = 'advisory'"
                                    + " and not granted and database = (select oid from pg_database where datname = current_database())")
                    == work.size());
            holder.close();
            return results.get();
        } finally {
            starter.shutdown();
        }
    }

    private static <T> List<T> all(List<Callable<T>> work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(work.size());
        try {
            List<T> results = new ArrayList<>();
            for (Future<T> future : threads.invokeAll(work)) {
                results.add(future.get());
            }
            return results;
        } finally {
            threads.shutdown();
        }
    }

    @Test
    @Tag("RC-7")
    void an_ordinal_is_never_used_again_after_a_rollback() {
        long before = shop.record(event("o1", "{}", "\"occurrenceKey\":\"k1\","))
                .at("/results/0/ordinal")
                .longValue();
        refused(() -> shop.record(event("o2", "{}", ""), event("o3", "{}", "\"occurrenceKey\":\"k1\",")));
        long after = shop.record(event("o4", "{}", "")).at("/results/0/ordinal").longValue();
        assertThat(after).isGreaterThan(before + 1);
        assertThat(shop.database.number("select count(distinct ordinal) from ringfence.outbox_events"))
                .isEqualTo(2);
    }

    @Test
    @Tag("RC-8")
    void an_event_that_cannot_be_stored_takes_the_others_with_it() {
        shop.database.execute("""
                create function ringfence.break() returns trigger language plpgsql as
                  $$ begin raise exception 'broken'; end $$;
                create trigger break before insert on ringfence.outbox_events for each row
                  when (new.aggregate_id = 'bad') execute function ringfence.break()""");
        assertThat(catchThrowableOfType(
                        StorageException.class, () -> shop.record(event("o1", "{}", ""), event("bad", "{}", ""))))
                .isNotNull();
        assertThat(shop.database.number(EVENTS)).isZero();
        assertThat(shop.database.number(KEYS)).isZero();
    }

    @Test
    @Tag("RC-3")
    void a_stale_epoch_records_nothing() {
        ApiProblem problem =
                refused(() -> shop.record(UUID.randomUUID(), CallerStart.ABSENT, null, event("o1", "{}", "")));
        assertThat(problem.code()).isEqualTo("STALE_EPOCH");
        assertThat(problem.status()).isEqualTo(409);
        nothingIsRecorded();
    }

    @Test
    @Tag("RC-3")
    void a_redacted_tenant_records_nothing() {
        shop.database.execute("update ringfence.tenant_lifecycle set phase = 'REDACTED'");
        assertThat(refused(() -> shop.record(event("o1", "{}", ""))).code()).isEqualTo("TENANT_REDACTED");
        nothingIsRecorded();
    }

    @Test
    @Tag("RC-3")
    void a_request_from_before_the_boundary_records_nothing() {
        CallerStart early = new CallerStart(Instant.parse("2020-01-01T00:00:01Z"), Duration.ofSeconds(1));
        assertThat(refused(() -> shop.record(EPOCH, early, null, event("o1", "{}", "")))
                        .code())
                .isEqualTo("REQUEST_BEFORE_REDACTION");
        nothingIsRecorded();
    }

    @Test
    @Tag("LC-5")
    void the_rows_carry_the_effective_start_and_the_epoch() {
        CallerStart start = new CallerStart(Instant.parse("2025-01-01T00:00:10Z"), Duration.ofSeconds(10));
        shop.record(EPOCH, start, null, event("o1", "{}", ""));
        assertThat(shop.database.number(
                        EVENTS + " where request_started_at = '2025-01-01T00:00:00Z' and epoch = '" + EPOCH + "'"))
                .isEqualTo(1);
    }

    @Test
    @Tag("RC-3")
    void a_disabled_app_records_nothing() {
        shop.database.execute("update ringfence.apps set enabled = false");
        assertThat(refused(() -> shop.record(event("o1", "{}", ""))).code()).isEqualTo("APP_DISABLED");
        nothingIsRecorded();
    }

    @Test
    @Tag("FN-1")
    @Tag("FN-3")
    void an_exclusive_fence_keeps_recording_out_within_a_bound() throws Exception {
        shop.close();
        shop = new RecordingFixture(Map.of("ringfence.fence.timeout-ms", "200"), List.of());
        try (Connection holder = shop.database.connect()) {
            holder.createStatement()
                    .execute("select pg_advisory_lock(" + SHOP.fenceKey().value() + ")");
            ApiProblem problem = refused(() -> shop.record(event("o1", "{}", "")));
            assertThat(problem.status()).isEqualTo(503);
            assertThat(problem.code()).isEqualTo("FENCE_TIMEOUT");
        }
        nothingIsRecorded();
    }

    @Test
    @Tag("FN-3")
    void waiting_for_another_transactions_key_is_bounded() throws Exception {
        shop.close();
        shop = new RecordingFixture(Map.of("ringfence.fence.timeout-ms", "200"), List.of());
        String event = event("o1", "{}", "\"occurrenceKey\":\"k1\",");
        shop.transactions.inNew(() -> {
            try (Connection connection = shop.transactions.jta().getConnection()) {
                connection
                        .createStatement()
                        .execute("insert into event_keys select 'evt_x', 1, '" + EPOCH + "', '\\x"
                                + dev.ringfence.outbox.DedupeKey.ofOccurrence("k1")
                                + "', '\\x00', 0, clock_timestamp()");
                assertThat(otherThread(() -> refused(() -> shop.record(event)).code()))
                        .isEqualTo("UNAVAILABLE");
                return true;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static <T> T otherThread(Callable<T> work) throws Exception {
        return all(List.of(work)).get(0);
    }

    @Test
    @Tag("RC-10")
    @Tag("PL-1")
    void what_waits_to_be_fetched_fills_no_queue() {
        shop.close();
        shop = new RecordingFixture(Map.of("ringfence.recording.max-waiting", "2"), List.of());
        shop.database.execute(RecordEventIT.waiting("PULL", 3));
        shop.record(event("o1", "{}", ""), event("o2", "{}", ""));
        shop.close();
        shop = new RecordingFixture(Map.of("ringfence.recording.max-waiting", "2"), List.of());
        shop.database.execute(RecordEventIT.waiting("PUSH", 1));
        assertThat(refused(() -> shop.record(event("o1", "{}", ""), event("o2", "{}", "")))
                        .code())
                .isEqualTo("QUEUE_FULL");
    }

    /** Counting a long backlog takes long, and everybody's second is over at the same time. */
    @Test
    @Tag("RC-10")
    void while_one_request_counts_what_waits_the_others_go_by_the_count_before() throws Exception {
        shop.record(event("o1", "{}", ""));
        shop.laterNanos.addAndGet(Duration.ofSeconds(2).toNanos());
        ExecutorService others = Executors.newSingleThreadExecutor();
        try (Connection locker = shop.database.dataSource().getConnection();
                Statement statement = locker.createStatement()) {
            locker.setAutoCommit(false);
            statement.execute("lock table ringfence.subscriptions in access exclusive mode");
            Future<JsonNode> counting = others.submit(() -> shop.record(event("o2", "{}", "")));
            await().until(() -> shop.database.number("select count(*) from pg_locks where not granted") == 1);
            assertThat(shop.record(event("o3", "{}", "")).at("/results")).hasSize(1);
            assertThat(counting).isNotDone();
            locker.rollback();
            assertThat(counting.get(10, TimeUnit.SECONDS).at("/results")).hasSize(1);
        } finally {
            others.shutdownNow();
        }
        assertThat(shop.fired).hasSize(3);
    }

    @Test
    @Tag("RC-10")
    void a_full_queue_refuses_and_says_when_to_come_again() {
        shop.close();
        shop = new RecordingFixture(Map.of("ringfence.recording.max-waiting", "3"), List.of());
        shop.record(event("o1", "{}", ""), event("o2", "{}", ""));
        ApiProblem problem = refused(() -> shop.record(event("o3", "{}", ""), event("o4", "{}", "")));
        assertThat(problem.status()).isEqualTo(429);
        assertThat(problem.code()).isEqualTo("QUEUE_FULL");
        assertThat(problem.headers()).containsKey("Retry-After");
        shop.record(event("o3", "{}", ""));
        assertThat(shop.database.number(EVENTS)).isEqualTo(3);
        shop.database.execute("""
                update ringfence.outbox_events set status = 'CLAIMED', locked_by = 'n', locked_until = clock_timestamp();
                update ringfence.outbox_events set status = 'PUBLISHED'""");
        shop.laterNanos.addAndGet(Duration.ofSeconds(2).toNanos());
        shop.record(event("o4", "{}", ""));
        assertThat(shop.database.number(EVENTS)).isEqualTo(4);
    }

    @Test
    @Tag("RC-11")
    void a_dry_run_checks_everything_and_records_nothing() {
        JsonNode known = shop.record(event("o1", "{}", "\"occurrenceKey\":\"k1\","));
        JsonNode answer = shop.check(event("o1", "{}", "\"occurrenceKey\":\"k1\","), event("o2", "{}", ""));
        assertThat(answer.path("dryRun").booleanValue()).isTrue();
        assertThat(answer.path("receipt").booleanValue()).isFalse();
        assertThat(answer.at("/results/0/eventId")).isEqualTo(known.at("/results/0/eventId"));
        assertThat(answer.at("/results/0/deduplicated").booleanValue()).isTrue();
        assertThat(answer.at("/results/1").has("eventId")).isFalse();
        assertThat(shop.check(event("o2", "{}", "")).path("results")).hasSize(1);
        assertThat(refused(() -> shop.check(event("o9", "{}", "\"occurrenceKey\":\"k1\",")))
                        .code())
                .isEqualTo("OCCURRENCE_KEY_REUSED");
        assertThat(shop.database.number(EVENTS)).isEqualTo(1);
        assertThat(shop.fired).hasSize(1);
    }

    @Test
    @Tag("RC-12")
    void a_replay_is_answered_the_same_but_only_under_the_current_epoch() {
        JsonNode first = shop.record(EPOCH, CallerStart.ABSENT, "key-1", event("o1", "{}", ""));
        assertThat(shop.record(EPOCH, CallerStart.ABSENT, "key-1", event("o1", "{}", "")))
                .isEqualTo(first);
        assertThat(shop.database.number(EVENTS)).isEqualTo(1);
        shop.database.execute("update ringfence.tenant_lifecycle set epoch = gen_random_uuid()");
        assertThat(refused(() -> shop.record(EPOCH, CallerStart.ABSENT, "key-1", event("o1", "{}", "")))
                        .code())
                .isEqualTo("STALE_EPOCH");
    }
}
