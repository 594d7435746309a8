package dev.ringfence.recording;

import static dev.ringfence.recording.RecordingFixture.APP;
import static dev.ringfence.recording.RecordingFixture.EPOCH;
import static dev.ringfence.recording.RecordingFixture.SHOP;
import static dev.ringfence.recording.RecordingFixture.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.json.StrictJson;
import dev.ringfence.signing.EventIds;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PSQLException;

/** Recording by SQL beside recording through the API: same checks, same fence, same deduplication (RC-9). */
@Tag("RC-9")
@Timeout(120)
class RecordEventIT {
    private static final String EVENTS = "select count(*) from ringfence.outbox_events";
    private static final String CALL =
            "select * from ringfence.record_event(?, ?, ?, clock_timestamp() - interval '1 ms', ?::interval, ?::jsonb)";

    private RecordingFixture shop;

    private record Recorded(String id, long ordinal, boolean deduplicated) {}

    @BeforeEach
    void open() {
        shop = new RecordingFixture();
    }

    @AfterEach
    void drop() {
        shop.close();
    }

    private Recorded sql(String event) throws SQLException {
        try (Connection connection = shop.database.connect()) {
            return sql(connection, event);
        }
    }

    private static Recorded sql(Connection connection, String event) throws SQLException {
        return sql(connection, SHOP.tenant(), EPOCH, "1 second", event);
    }

    private static Recorded sql(Connection connection, String tenant, UUID epoch, String bound, String event)
            throws SQLException {
        try (var statement = connection.prepareStatement(CALL)) {
            statement.setObject(1, APP);
            statement.setString(2, tenant);
            statement.setObject(3, epoch);
            statement.setString(4, bound);
            statement.setString(5, event);
            try (ResultSet row = statement.executeQuery()) {
                assertThat(row.next()).isTrue();
                return new Recorded(row.getString(1), row.getLong(2), row.getBoolean(3));
            }
        }
    }

    private PSQLException refused(String event) {
        return catchThrowableOfType(PSQLException.class, () -> sql(event));
    }

    private static String state(PSQLException refusal) {
        return refusal.getSQLState() + " " + refusal.getServerErrorMessage().getMessage();
    }

    @Test
    void its_envelope_is_that_of_the_api() throws SQLException {
        String rich = event(
                "o1",
                "{\"total\":1.50,\"text\":\"é \\\"quoted\\\" \\u001b😀\"}",
                "\"workspaceId\":\"w\",\"relationshipId\":\"r\",\"metadata\":{\"k\":1},\"causationId\":\"c\",");
        shop.record(rich);
        sql(rich);

        try (Connection connection = shop.database.connect();
                ResultSet rows = connection.createStatement().executeQuery("""
                        select payload_bytes, payload_sha256 = sha256(payload_bytes), event_id, request_started_at < recorded_at
                          from outbox_events order by ordinal""")) {
            rows.next();
            JsonNode api = StrictJson.parse(rows.getBytes(1));
            rows.next();
            JsonNode bySql = StrictJson.parse(rows.getBytes(1));
            assertThat(rows.getBoolean(2)).isTrue();
            assertThat(rows.getBoolean(4)).isTrue();
            assertThat(bySql.get("eventId").textValue()).isEqualTo(rows.getString(3));
            for (String field : names(api)) {
                assertThat(bySql.has(field)).as(field).isTrue();
                if (!field.matches("eventId|recordedAt|correlationId")) {
                    assertThat(bySql.get(field)).as(field).isEqualTo(api.get(field));
                }
            }
            assertThat(names(bySql)).isEqualTo(names(api));
        }
    }

    private static TreeSet<String> names(JsonNode object) {
        TreeSet<String> names = new TreeSet<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    @Test
    @Tag("SG-2")
    void its_id_is_the_ksuid_that_the_product_makes() throws SQLException {
        Recorded one = sql(event("o1", "{}", ""));
        Recorded other = sql(event("o1", "{}", ""));
        assertThat(one.id()).isNotEqualTo(other.id()).startsWith("evt_").hasSize(31);
        try (Connection connection = shop.database.connect();
                ResultSet row = connection.createStatement().executeQuery("""
                        select o.recorded_at, sha256(uuid_send(o.app_id) || uuid_send(o.epoch) || int8send(o.tenant_id)
                                 || k.content_sha256)
                          from outbox_events o join event_keys k using (event_id) order by o.ordinal""")) {
            row.next();
            assertThat(EventIds.event(
                            row.getObject(1, java.time.OffsetDateTime.class).toInstant(),
                            one.ordinal(),
                            row.getBytes(2)))
                    .isEqualTo(one.id());
        }
    }

    @Test
    @Tag("RC-4")
    void an_occurrence_is_one_row_whichever_way_it_comes() throws SQLException {
        String keyed =
                "\"occurrenceKey\":\"k-1\",\"metadata\":{\"zebra\":1e2,\"a\":[true,null,\"x\"],\"😀\":1,\"\uFFFD\":2},";
        JsonNode api = shop.record(event("o1", "{\"n\":100}", keyed));
        Recorded again = sql(
                event("o1", "{ \"n\" : 1e2 }", keyed).replace("2026-06-03T10:00:00Z", "2026-06-03T12:00:00.000+02:00"));
        assertThat(again.deduplicated()).isTrue();
        assertThat(again.id()).isEqualTo(api.at("/results/0/eventId").textValue());
        assertThat(state(refused(event("o1", "{\"n\":101}", keyed)))).isEqualTo("RF086 OCCURRENCE_KEY_REUSED");

        Recorded first = sql(event("o2", "{}", "\"occurrenceKey\":\"k-2\","));
        JsonNode repeated = shop.record(event("o2", "{}", "\"occurrenceKey\":\"k-2\","));
        assertThat(repeated.at("/results/0/deduplicated").booleanValue()).isTrue();
        assertThat(repeated.at("/results/0/eventId").textValue()).isEqualTo(first.id());
        assertThat(shop.database.number(EVENTS)).isEqualTo(2);
    }

    @Test
    @Tag("RC-4")
    void a_milestone_has_its_natural_id() throws SQLException {
        String context = "\"context\":{\"configurationRevision\":0,\"publishedThemeId\":null,\"enableGeneration\":0}";
        String milestone = event("o1", "{}", "\"milestone\":true," + context + ",");
        Recorded first = sql(milestone);
        assertThat(first.id())
                .isEqualTo(MilestoneId.of(SHOP, EPOCH, "shop.order.placed.v1", new MilestoneContext(0, null, 0), null));
        assertThat(sql(milestone).deduplicated()).isTrue();
        assertThat(shop.record(milestone).at("/results/0/deduplicated").booleanValue())
                .isTrue();
        String keyed = event("o1", "{}", "\"occurrenceKey\":\"a\\\"\\u001f\",\"milestone\":true," + context + ",");
        assertThat(sql(keyed).id())
                .isEqualTo(MilestoneId.of(
                        SHOP, EPOCH, "shop.order.placed.v1", new MilestoneContext(0, null, 0), "a\"\u001f"));
        assertThat(state(refused(milestone.replace("Revision\":0", "Revision\":1"))))
                .isEqualTo("RF083 STALE_CONTEXT");
        assertThat(shop.database.number(EVENTS)).isEqualTo(2);
    }

    @Test
    @Tag("RC-1")
    void it_commits_and_rolls_back_with_its_callers_transaction() throws SQLException {
        try (Connection connection = shop.database.connect()) {
            connection.setAutoCommit(false);
            sql(connection, event("o1", "{}", "\"occurrenceKey\":\"k\","));
            connection.rollback();
            assertThat(shop.database.number(EVENTS)).isZero();
            assertThat(sql(connection, event("o1", "{}", "\"occurrenceKey\":\"k\","))
                            .deduplicated())
                    .isFalse();
            connection.commit();
        }
        assertThat(shop.database.number(EVENTS)).isEqualTo(1);
    }

    @Test
    @Tag("FN-1")
    @Tag("FN-3")
    void it_holds_the_tenants_fence_and_waits_no_longer_than_its_bound() throws SQLException {
        try (Connection recording = shop.database.connect();
                Connection other = shop.database.connect()) {
            recording.setAutoCommit(false);
            sql(recording, event("o1", "{}", ""));
            assertThat(exclusive(other)).as("while it records").isFalse();
            recording.commit();
            assertThat(exclusive(other)).as("when it has committed").isTrue();
            assertThat(refused(event("o1", "{}", "")).getSQLState()).isEqualTo("55P03");
            assertThat(shop.database.number(EVENTS)).isEqualTo(1);
        }
    }

    private static boolean exclusive(Connection connection) throws SQLException {
        try (var statement = connection.prepareStatement("select pg_try_advisory_lock(?)")) {
            statement.setLong(1, SHOP.fenceKey().value());
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getBoolean(1);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "update ringfence.tenant_lifecycle set epoch = gen_random_uuid() | RF080 STALE_EPOCH",
                "update ringfence.tenant_lifecycle set phase = 'REDACTED' | RF081 TENANT_REDACTED",
                "update ringfence.tenant_lifecycle set last_redacted_at = clock_timestamp() - interval '500 ms' | RF082 REQUEST_BEFORE_REDACTION",
                "update ringfence.apps set enabled = false | RF084 APP_DISABLED",
                "update ringfence.apps set min_skew_bound_ms = 1001 | RF089 CLOCK_BOUND_UNAVAILABLE"
            })
    @Tag("RC-3")
    void it_refuses_what_the_api_refuses(String before, String refusal) {
        shop.database.execute(before);
        assertThat(state(refused(event("o1", "{}", "")))).isEqualTo(refusal);
        assertThat(shop.database.number(EVENTS)).isZero();
    }

    @Test
    @Tag("LC-2")
    void it_makes_no_tenant() throws SQLException {
        try (Connection connection = shop.database.connect()) {
            PSQLException refusal = catchThrowableOfType(
                    PSQLException.class, () -> sql(connection, "other", EPOCH, "1 second", event("o1", "{}", "")));
            assertThat(state(refusal)).isEqualTo("RF080 STALE_EPOCH");
        }
        assertThat(shop.database.number("select count(*) from ringfence.tenant_lifecycle"))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE})
    void it_needs_read_committed(int isolation) throws SQLException {
        try (Connection connection = shop.database.connect()) {
            connection.setTransactionIsolation(isolation);
            PSQLException refusal =
                    catchThrowableOfType(PSQLException.class, () -> sql(connection, event("o1", "{}", "")));
            assertThat(refusal.getSQLState()).isEqualTo("RF087");
        }
    }

    @Test
    @Tag("RC-10")
    @Tag("PL-1")
    void what_waits_to_be_fetched_fills_no_queue() throws SQLException {
        try (Connection connection = shop.database.connect();
                var statement = connection.createStatement()) {
            statement.execute("set ringfence.max_waiting = 2");
            statement.execute(waiting("PULL", 3));
            sql(connection, event("o1", "{}", ""));
            statement.execute(waiting("PUSH", 2));
            PSQLException refusal =
                    catchThrowableOfType(PSQLException.class, () -> sql(connection, event("o2", "{}", "")));
            assertThat(state(refusal)).isEqualTo("RF088 QUEUE_FULL");
        }
    }

    /** A subscription of the tenant, and so many deliveries that wait for it. */
    static String waiting(String mode, int count) {
        return """
                with s as (
                  insert into ringfence.subscriptions (id, app_id, tenant_id, name, mode, signing, ack, semantics, retry_waits,
                    retry_jitter, retry_attempts, in_flight, timeout_ms, dead_threshold, status, grants, created_at, updated_at)
                  select gen_random_uuid(), t.app_id, t.tenant_id, 's', '%s', '[]', 'STATUS', 'AT_LEAST_ONCE', '{}', 0, 1, 1, 100, 1,
                    'ACTIVE', '{*}', now(), now() from ringfence.tenant_lifecycle t
                  returning id, app_id, tenant_id, mode)
                insert into ringfence.deliveries (id, tenant_id, app_id, epoch, subscription_id, event_ordinal, event_recorded_at,
                    event_id, message_id, mode, state, protocol, cycle_started_at, next_attempt_at, created_at, updated_at)
                select nextval('ringfence.ordinals'), s.tenant_id, s.app_id, gen_random_uuid(), s.id, n, now(), 'evt_w', 'msg_w', s.mode,
                    'pending', 1, now(), now(), now(), now() from s, generate_series(1, %d) n""".formatted(mode, count);
    }

    @Test
    @Tag("RC-10")
    void a_full_queue_is_refused() throws SQLException {
        try (Connection connection = shop.database.connect();
                var statement = connection.createStatement()) {
            statement.execute("set ringfence.max_waiting = 0");
            PSQLException refusal =
                    catchThrowableOfType(PSQLException.class, () -> sql(connection, event("o1", "{}", "")));
            assertThat(state(refusal)).isEqualTo("RF088 QUEUE_FULL");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"shop.order.placed.v1\" | \"Shop.order.placed.v1\" | /name",
                "\"shop.order.placed.v1\" | 7 | /name",
                "2026-06-03T10:00:00Z | 2026-06-03T10:00:00 | /occurredAt",
                "2026-06-03T10:00:00Z | 2026-02-30T10:00:00Z | /occurredAt",
                "2026-06-03T10:00:00Z | 2026-06-03T24:00:00Z | /occurredAt",
                "`\"aggregateId\":\"o1\",` | `` | /aggregateId",
                "\"aggregateId\":\"o1\" | \"aggregateId\":\"\" | /aggregateId",
                "\"system\" | \"robot\" | /actor/type",
                "{\"type\":\"system\"} | {\"type\":\"system\",\"x\":1} | /actor",
                "{\"type\":\"system\"} | {\"type\":\"system\",\"id\":1} | /actor/id",
                "\"payload\":{} | \"payload\":[] | /payload",
                "\"payload\":{} | \"color\":1,\"payload\":{} | /color",
                "\"payload\":{} | \"milestone\":true,\"payload\":{} | /context",
                "\"payload\":{} | \"milestone\":1,\"payload\":{} | /milestone",
                "\"payload\":{} | \"context\":{},\"payload\":{} | /context",
                "\"payload\":{} | \"milestone\":true,\"context\":{\"configurationRevision\":1.5,\"publishedThemeId\":null,\"enableGeneration\":0},\"payload\":{} | /context/configurationRevision",
                "\"payload\":{} | \"milestone\":true,\"context\":{\"configurationRevision\":1,\"publishedThemeId\":\"\",\"enableGeneration\":0},\"payload\":{} | /context/publishedThemeId"
            })
    @Tag("RC-8")
    void it_names_the_place_of_a_fault(String good, String bad, String pointer) {
        String document = event("o1", "{}", "");
        assertThat(document).contains(good);
        PSQLException refusal = refused(document.replace(good, bad));
        assertThat(state(refusal)).isEqualTo("RF085 INVALID");
        assertThat(refusal.getServerErrorMessage().getDetail()).startsWith(pointer + ":");
        assertThat(shop.database.number(EVENTS)).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "0",
                "-0.0",
                "1e300",
                "123456789.000100",
                "-1.5e-7",
                "\"\"",
                "\"é😀\\u0001\"",
                "null",
                "true",
                "false",
                "{\"\":[],\"a\":{\"b\":[1,[2,{}]]},\"😀\":1,\"\uFFFF\":2,\"Z\":3,\"aa\":4}"
            })
    void content_is_hashed_alike(String json) throws SQLException {
        try (Connection connection = shop.database.connect();
                var statement = connection.prepareStatement("select sha256(ringfence.json_content(?::jsonb))")) {
            statement.setString(1, json);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                assertThat(row.getBytes(1))
                        .isEqualTo(ContentHash.of(StrictJson.parse(json.getBytes(StandardCharsets.UTF_8))));
            }
        }
    }
}
