package dev.ringfence.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.harness.TestDatabase;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutboxGuardIT {
    private static final TestDatabase DATABASE = TestDatabase.migrated();

    /** How a row gets to each status by legal moves. */
    private static final Map<String, List<String>> WAYS = Map.of(
            "PENDING", List.of(),
            "CLAIMED", List.of("CLAIMED"),
            "PUBLISHED", List.of("CLAIMED", "PUBLISHED"),
            "FAILED_RETRYABLE", List.of("CLAIMED", "FAILED_RETRYABLE"),
            "DEAD_LETTERED", List.of("CLAIMED", "DEAD_LETTERED"),
            "DISCARDED", List.of("DISCARDED"));

    private static final Map<String, Set<String>> MOVES = Map.of(
            "PENDING", Set.of("CLAIMED", "DISCARDED"),
            "FAILED_RETRYABLE", Set.of("CLAIMED", "DISCARDED"),
            "CLAIMED", Set.of("CLAIMED", "PUBLISHED", "FAILED_RETRYABLE", "DEAD_LETTERED", "DISCARDED"),
            "DEAD_LETTERED", Set.of("PENDING", "DISCARDED"),
            "PUBLISHED", Set.of(),
            "DISCARDED", Set.of());

    private final Refusals database = new Refusals(DATABASE);
    private final Rows rows = new Rows(DATABASE);

    @AfterAll
    static void drop() {
        DATABASE.close();
    }

    @Test
    @Tag("OB-1")
    void exactly_the_moves_of_the_standard_pass() throws SQLException {
        for (String from : WAYS.keySet()) {
            for (String to : WAYS.keySet()) {
                long event = eventIn(from);
                boolean unchanged = from.equals(to);
                String expected = unchanged || MOVES.get(from).contains(to) ? Refusals.NONE : "RF011";
                assertThat(database.of(move(event, to))).as(from + " > " + to).isEqualTo(expected);
            }
        }
    }

    @Test
    @Tag("OB-1")
    void there_are_six_statuses_and_an_event_begins_as_pending() throws SQLException {
        long event = rows.event();
        database.refuse("RF011", "update ringfence.outbox_events set status = 'LOST' where ordinal = " + event);
        database.refuse("RF012", copyOf(event, "'PUBLISHED'"));
    }

    @Test
    @Tag("OB-1")
    void a_claim_has_a_lease() throws SQLException {
        database.refuse(
                "23514", "update ringfence.outbox_events set status = 'CLAIMED' where ordinal = " + rows.event());
    }

    @ParameterizedTest
    @Tag("RC-5")
    @ValueSource(
            strings = {
                "payload_bytes",
                "payload_sha256",
                "occurred_at",
                "recorded_at",
                "event_id",
                "ordinal",
                "event_name",
                "event_version",
                "epoch",
                "request_started_at",
                "tenant_id",
                "app_id",
                "producer",
                "aggregate_type",
                "aggregate_id",
                "workspace_id",
                "relationship_id",
                "actor",
                "correlation_id",
                "causation_id",
                "idempotency_key",
                "occurrence_key",
                "ordering_key",
                "traceparent",
                "milestone",
                "payload",
                "metadata",
                "created_at"
            })
    void what_was_recorded_is_immutable(String column) throws SQLException {
        long event = rows.event();
        database.refuse(
                "RF010", "update ringfence.outbox_events set " + column + " = " + column + " where ordinal = " + event);
        database.refuse(
                "RF010",
                "with written as (select * from ringfence.outbox_events where ordinal = " + event
                        + ") update ringfence.outbox_events as o set " + column + " = written." + column
                        + ", updated_at = o.updated_at from written where o.ordinal = written.ordinal");
    }

    @Test
    @Tag("RC-5")
    void the_publishers_columns_are_not() throws SQLException {
        database.permit("update ringfence.outbox_events set available_at = clock_timestamp(), attempt_count = 3,"
                + " last_error_code = 'X', last_error_message = 'x', updated_at = clock_timestamp() where ordinal = "
                + rows.event());
    }

    @Test
    @Tag("RC-5")
    void only_an_erasure_deletes() throws SQLException {
        long event = rows.event();
        String where = " where ordinal = " + event;
        String partition = one("select tableoid::regclass::text from ringfence.outbox_events" + where);
        database.refuse("RF050", "delete from ringfence.outbox_events" + where);
        database.refuse("RF050", "delete from " + partition + where);
        database.refuse("RF050", "truncate " + partition);
        database.refuse("RF050", "truncate ringfence.outbox_events");
        database.permitErasing("delete from ringfence.outbox_events" + where);
    }

    @Test
    @Tag("OB-1")
    void the_keys_of_events_and_deliveries_stay_and_are_unique() throws SQLException {
        database.permit("insert into ringfence.event_keys values ('evt_k', 1,"
                + " '00000000-0000-0000-0000-000000000001', 'k', 'c', 1, clock_timestamp())");
        database.permit("insert into ringfence.delivery_keys values (1,"
                + " '00000000-0000-0000-0000-000000000001', 2, clock_timestamp())");

        database.refuse(
                "23505",
                "insert into ringfence.event_keys values ('evt_l', 1,"
                        + " '00000000-0000-0000-0000-000000000001', 'k', 'c', 3, clock_timestamp())");
        database.refuse(
                "23505",
                "insert into ringfence.delivery_keys values (1,"
                        + " '00000000-0000-0000-0000-000000000001', 4, clock_timestamp())");
        database.refuse("RF013", "update ringfence.event_keys set content_sha256 = 'd'");
        database.permit("update ringfence.event_keys set content_sha256 = content_sha256");
        database.refuse("RF027", "update ringfence.delivery_keys set delivery_id = 5");
        database.refuse("RF050", "delete from ringfence.event_keys");
        database.refuse("RF050", "delete from ringfence.delivery_keys");
        database.permitErasing("delete from ringfence.event_keys");
        database.permitErasing("delete from ringfence.delivery_keys");
    }

    @Test
    @Tag("RC-7")
    void an_ordinal_that_was_taken_is_never_given_again() throws Exception {
        long taken;
        try (var connection = DATABASE.connect();
                var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            try (var row = statement.executeQuery("select nextval('ringfence.ordinals')")) {
                row.next();
                taken = row.getLong(1);
            }
            connection.rollback();
        }
        long event = rows.event();
        assertThat(event).isGreaterThan(taken);
        database.permitErasing("delete from ringfence.outbox_events where ordinal = " + event);
        assertThat(rows.delivery("pending")).isGreaterThan(event);
        database.refuse(
                "2200H",
                "select setval('ringfence.ordinals', 9223372036854775807);" + " select nextval('ringfence.ordinals')");
    }

    private long eventIn(String status) throws SQLException {
        long event = rows.event();
        for (String step : WAYS.get(status)) {
            database.permit(move(event, step));
        }
        return event;
    }

    private static String move(long event, String status) {
        return "update ringfence.outbox_events set status = '" + status
                + "', locked_by = 'n', locked_until = available_at" + " where ordinal = " + event;
    }

    private static String copyOf(long event, String status) {
        return "insert into ringfence.outbox_events (ordinal, tenant_id, app_id, epoch, request_started_at, event_id,"
                + " event_name, event_version, occurred_at, recorded_at, producer, aggregate_type, aggregate_id, actor,"
                + " correlation_id, causation_id, payload, metadata, payload_bytes, payload_sha256, status, available_at,"
                + " created_at, updated_at) select nextval('ringfence.ordinals'), tenant_id, app_id, epoch,"
                + " request_started_at, event_id, event_name, event_version, occurred_at, recorded_at, producer,"
                + " aggregate_type, aggregate_id, actor, correlation_id, causation_id, payload, metadata, payload_bytes,"
                + " payload_sha256, " + status + ", available_at, created_at, updated_at from ringfence.outbox_events"
                + " where ordinal = " + event;
    }

    private static String one(String sql) throws SQLException {
        try (var connection = DATABASE.connect();
                var statement = connection.createStatement();
                var row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}
