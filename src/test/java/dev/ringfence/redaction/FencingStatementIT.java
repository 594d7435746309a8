package dev.ringfence.redaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The fencing statement, the erasure's function and what the database refuses around them. */
class FencingStatementIT {
    private static RedactionFixture fixture;

    private final String name = "shop-" + UUID.randomUUID();

    @BeforeAll
    static void open() {
        fixture = new RedactionFixture();
    }

    @AfterAll
    static void close() {
        fixture.close();
    }

    private List<Long> deliveries(long tenant, int count) {
        UUID subscription = fixture.rows.subscription(tenant, "AT_LEAST_ONCE", 6);
        return fixture.rows.deliveries(
                tenant, subscription, count, Instant.now().minusSeconds(1));
    }

    private String lifecycle(long tenant, String column) {
        return fixture.rows.text("select (" + column + ")::text from tenant_lifecycle where tenant_id = ?", tenant);
    }

    @Test
    @Tag("RD-1")
    @Tag("LC-1")
    void one_statement_ends_the_epoch_marks_what_is_uncertain_and_cancels_what_waits() throws Exception {
        long tenant = fixture.tenant(name);
        List<Long> ids = deliveries(tenant, 4);
        UUID open = fixture.attempt(ids.get(0), "SENDING", -5);
        UUID uncertain = fixture.attempt(ids.get(1), "UNCERTAIN", -5);
        fixture.attempt(ids.get(2), "ACKNOWLEDGED", -5);
        fixture.rows.update(
                "insert into tenant_settings (app_id, tenant_hash, revision, settings, settings_text, created_at, updated_at)"
                        + " select app_id, tenant_hash, 7, '{}', '{}', now(), now() from tenant_lifecycle where tenant_id = ?",
                tenant);
        UUID redaction = fixture.request(name);

        assertThat(fixture.fence(redaction, name)).isNull();

        assertThat(fixture.rows.text(
                        "select concat_ws(' ', s.revision, s.settings, s.settings_text) from tenant_settings s join tenant_lifecycle t"
                                + " using (app_id, tenant_hash) where t.tenant_id = ?",
                        tenant))
                .isEqualTo("7");
        assertThat(lifecycle(tenant, "phase")).isEqualTo("REDACTED");
        assertThat(lifecycle(tenant, "epoch")).isNotEqualTo(fixture.rows.epoch.toString());
        assertThat(lifecycle(tenant, "concat(tenant, published_theme_id, theme_checked_at)"))
                .isEmpty();
        assertThat(lifecycle(tenant, "concat(enable_generation, ' ', configuration_revision)"))
                .isEqualTo("3 5");
        assertThat(lifecycle(tenant, "last_redacted_at"))
                .isEqualTo(fixture.rows.text("select boundary::text from redactions where id = ?", redaction));
        assertThat(fixture.rows.text("select epoch_before::text from redactions where id = ?", redaction))
                .isEqualTo(fixture.rows.epoch.toString());
        assertThat(fixture.rows.text(
                        "select string_agg(distinct state || last_code || coalesce(reservation_id::text, ''), ',') from deliveries"
                                + " where tenant_id = ?",
                        tenant))
                .isEqualTo("failedREDACTED");
        assertThat(fixture.rows.text(
                        "select string_agg(distinct status || last_error_code, ',') from outbox_events where tenant_id = ?",
                        tenant))
                .isEqualTo("DISCARDEDREDACTED");
        assertThat(fixture.rows.text(
                        "select string_agg(reservation_id::text, ',' order by reservation_id) from unresolved_markers where redaction_id = ?",
                        redaction))
                .isEqualTo(List.of(open, uncertain).stream()
                        .map(UUID::toString)
                        .sorted()
                        .reduce((one, other) -> one + "," + other)
                        .orElseThrow());
        assertThat(fixture.rows.ledger(ids.get(0))).isEqualTo("1:UNCERTAIN/REDACTED");
        assertThat(fixture.rows.text(
                        "select bool_and(m.body_sha256 = e.payload_sha256)::text from unresolved_markers m join outbox_events e"
                                + " on e.event_id = m.event_id where m.redaction_id = ?",
                        redaction))
                .isEqualTo("true");
    }

    @Test
    @Tag("RD-5")
    void nothing_changes_while_an_open_reservation_may_still_send() throws Exception {
        long tenant = fixture.tenant(name);
        fixture.attempt(deliveries(tenant, 1).get(0), "SENDING", 60);
        UUID redaction = fixture.request(name);

        assertThat(fixture.fence(redaction, name).toInstant())
                .isAfter(Instant.now().plusSeconds(30));

        assertThat(lifecycle(tenant, "phase")).isEqualTo("ACTIVE");
        assertThat(fixture.rows.text("select count(*) from unresolved_markers where redaction_id = ?", redaction))
                .isEqualTo("0");
    }

    @Test
    @Tag("RD-1")
    @Tag("FN-2")
    void a_session_that_does_not_hold_the_fence_alone_fences_nothing() throws Exception {
        long tenant = fixture.tenant(name);
        UUID redaction = fixture.request(name);
        try (Connection session = fixture.rows.database.connect()) {
            assertRefused("RF066", () -> fixture.redact(session, redaction));
            try (var lock = session.prepareStatement(
                    "select pg_advisory_lock_shared(fence_key) from tenant_lifecycle where tenant_id = " + tenant)) {
                lock.execute();
            }
            assertRefused("RF066", () -> fixture.redact(session, redaction));
        }
        assertThat(lifecycle(tenant, "phase")).isEqualTo("ACTIVE");
    }

    @Test
    @Tag("LC-2")
    void an_unknown_tenant_gets_a_redacted_row() throws Exception {
        UUID redaction = fixture.request(name);

        assertThat(fixture.fence(redaction, name)).isNull();

        assertThat(fixture.rows.text(
                        "select concat_ws(' ', t.phase, t.tenant, t.enrolled_at, t.last_redacted_at is not null, r.epoch_before)"
                                + " from redactions r join tenant_lifecycle t on t.tenant_id = r.tenant_id where r.id = ?",
                        redaction))
                .isEqualTo("REDACTED t");
    }

    @Test
    @Tag("RD-3")
    void the_boundary_never_moves_back_and_a_second_call_changes_nothing() throws Exception {
        long tenant = fixture.tenant(name);
        fixture.rows.update(
                "update tenant_lifecycle set last_redacted_at = now() + interval '1 hour' where tenant_id = ?", tenant);
        String boundary = lifecycle(tenant, "last_redacted_at");
        UUID redaction = fixture.request(name);

        fixture.fence(redaction, name);
        String epoch = lifecycle(tenant, "epoch");
        assertThat(lifecycle(tenant, "last_redacted_at")).isEqualTo(boundary);

        assertThat(fixture.fence(redaction, name)).isNull();
        assertThat(lifecycle(tenant, "epoch")).isEqualTo(epoch);
    }

    @Test
    @Tag("RD-4")
    @Tag("AT-8")
    void erasure_takes_chunks_of_the_tenant_and_of_nobody_else_and_leaves_a_marker_for_each_uncertain_attempt()
            throws Exception {
        long tenant = fixture.tenant(name);
        long other = fixture.tenant(name + "-other");
        List<Long> ids = deliveries(tenant, 5);
        ids.forEach(id -> fixture.attempt(id, "UNCERTAIN", -5));
        fixture.attempt(deliveries(other, 1).get(0), "UNCERTAIN", -5);
        UUID redaction = fixture.request(name);
        assertRefusedSql("RF065", "select erase_tenant(?, 'deliveries', 10)", tenant);
        fixture.fence(redaction, name);

        assertThat(fixture.erase(tenant, "delivery_attempts", 2)).isEqualTo(4);
        for (String kind : List.of(
                "deliveries",
                "event_keys",
                "outbox_events",
                "operation_receipts",
                "aggregates",
                "idempotency_keys",
                "subscriptions")) {
            fixture.erase(tenant, kind, 2);
        }

        assertThat(fixture.rows.text("select string_agg(t, ',') from tenant_tables_left(?) t", tenant))
                .isNull();
        assertThat(fixture.rows.text("select string_agg(t, ',') from tenant_tables_left(?) t", other))
                .isEqualTo("deliveries,delivery_attempts,outbox_events,subscriptions");
        assertThat(fixture.rows.text("select count(*) from unresolved_markers where tenant_id = ?", tenant))
                .isEqualTo("5");
        assertRefusedSql("RF067", "select erase_tenant(?, 'audit_log', 10)", tenant);
        assertRefusedSql("RF067", "select erase_tenant(?, 'deliveries', 0)", tenant);
        assertRefusedSql("RF065", "select erase_tenant(?, 'deliveries', 10)", other);
    }

    @Test
    @Tag("RD-1")
    void a_long_history_is_marked_in_several_statements_and_the_last_one_fences() throws Exception {
        long tenant = fixture.tenant(name);
        long delivery = deliveries(tenant, 1).get(0);
        fixture.rows.update(
                "insert into delivery_attempts (delivery_id, delivery_created_at, number, cycle, tenant_id, reservation_id, state,"
                        + " node, started_at, send_by) select id, created_at, n, 1, tenant_id, gen_random_uuid(), 'SENDING', 'node', now(), now()"
                        + " from deliveries, generate_series(1, 50001) n where id = ?",
                delivery);
        fixture.rows.update(
                "update delivery_attempts set state = 'UNCERTAIN', finished_at = now() where delivery_id = ?",
                delivery);
        UUID redaction = fixture.request(name);
        String markers = "select count(*) from unresolved_markers where redaction_id = ?";

        assertThat(fixture.fence(redaction, name)).as("ask again").isNotNull();
        assertThat(fixture.rows.text(markers, redaction)).isEqualTo("50000");
        assertThat(lifecycle(tenant, "phase")).isEqualTo("ACTIVE");

        assertThat(fixture.fence(redaction, name)).isNull();
        assertThat(fixture.rows.text(markers, redaction)).isEqualTo("50001");
        assertThat(lifecycle(tenant, "phase")).isEqualTo("REDACTED");
    }

    @Test
    @Tag("RD-1")
    void a_chunk_reads_its_own_rows_and_not_all_that_the_tenant_has() throws Exception {
        long tenant = fixture.tenant(name);
        deliveries(tenant, 500);
        fixture.rows.update(
                "insert into delivery_attempts (delivery_id, delivery_created_at, number, cycle, tenant_id, reservation_id, state,"
                        + " node, started_at, send_by) select id, created_at, 1, 1, tenant_id, gen_random_uuid(), 'SENDING', 'node', now(), now()"
                        + " from deliveries where tenant_id = ?",
                tenant);
        fixture.fence(fixture.request(name), name);
        String read = "select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) from pg_stat_xact_user_tables"
                + " where relname like 'delivery\\_attempts\\_%'";
        try (Connection session = fixture.rows.database.connect();
                var statement = session.createStatement()) {
            session.setAutoCommit(false);
            statement.execute("select erase_tenant(" + tenant + ", 'delivery_attempts', 10)");
            try (var rows = statement.executeQuery(read)) {
                rows.next();
                assertThat(rows.getLong(1)).as("rows read for ten deliveries").isBetween(10L, 100L);
            }
        }
    }

    @Test
    @Tag("RD-1")
    @Tag("RD-4")
    void neither_a_chunk_nor_the_search_reads_what_waits_for_others() throws Exception {
        long tenant = fixture.tenant(name);
        long other = fixture.tenant(name + "-other");
        deliveries(tenant, 5);
        fixture.rows.update(
                "insert into deliveries (id, tenant_id, app_id, epoch, subscription_id, event_ordinal, event_recorded_at, event_id,"
                        + " message_id, mode, state, protocol, cycle_started_at, created_at, updated_at)"
                        + " select nextval('ordinals'), t.tenant_id, t.app_id, t.epoch, t.epoch, n, now(), 'evt_' || n, 'msg_' || n, 'PULL',"
                        + " 'pending', 1, now(), now(), now() from tenant_lifecycle t, generate_series(1, 20000) n where t.tenant_id = ?",
                other);
        fixture.rows.database.execute("analyze ringfence.deliveries_live");
        fixture.fence(fixture.request(name), name);
        List<Long> fetched = deliveries(tenant, 20);
        String read = "select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) from pg_stat_xact_user_tables"
                + " where relname = 'deliveries_live'";
        for (String statement : List.of(
                "select erase_tenant(" + tenant + ", 'deliveries', 10)",
                "select string_agg(t, ',') from tenant_tables_left(" + tenant + ") t")) {
            try (Connection session = fixture.rows.database.connect();
                    var query = session.createStatement()) {
                session.setAutoCommit(false);
                query.execute(statement);
                try (var rows = query.executeQuery(read)) {
                    rows.next();
                    assertThat(rows.getLong(1)).as(statement).isLessThan(100);
                }
            }
        }
        assertThat(left(tenant)).contains("deliveries");
        assertThat(fixture.erase(tenant, "deliveries", 10)).isGreaterThan(2);
        assertThat(left(tenant)).doesNotMatch("(.*,)?deliveries(,.*)?");
        assertThat(fetched)
                .allSatisfy(id -> assertThat(fixture.rows.delivery(id, "id")).isNull());
    }

    @ParameterizedTest
    @Tag("RD-1")
    @Tag("RD-4")
    @ValueSource(
            strings = {
                "tenant_id bigint, note text",
                "note text, app_id uuid, tenant_hash bytea",
                "event_ordinal bigint, note text"
            })
    void the_search_finds_rows_in_a_table_that_nobody_thought_of_whatever_its_key(String columns) {
        long tenant = fixture.tenant(name);
        long other = fixture.tenant(name + "-other");
        fixture.rows.database.execute("create table ringfence.forgotten (" + columns + ")");
        try {
            assertThat(left(tenant)).as("it is empty").isNull();
            fixture.rows.update(
                    "insert into forgotten select (jsonb_populate_record(null::forgotten, to_jsonb(t))).* from tenant_lifecycle t"
                            + " where tenant_id = ?",
                    tenant);

            assertThat(left(tenant)).isEqualTo("forgotten");
            assertThat(left(other))
                    .as("of the other's only where it cannot be told whose they are")
                    .isEqualTo(columns.contains("tenant") ? null : "forgotten");
        } finally {
            fixture.rows.database.execute("drop table ringfence.forgotten");
        }
    }

    @Test
    @Tag("RD-4")
    void the_search_finds_settings_of_before_the_boundary_and_leaves_newer_ones() throws Exception {
        long tenant = fixture.tenant(name);
        fixture.fence(fixture.request(name), name);
        String save =
                "insert into tenant_settings (app_id, tenant_hash, revision, settings, settings_text, created_at, updated_at)"
                        + " select app_id, tenant_hash, 1, '{}', '{}', now(), last_redacted_at + ? * interval '1 microsecond'"
                        + " from tenant_lifecycle where tenant_id = ?"
                        + " on conflict (app_id, tenant_hash) do update set settings = '{}', settings_text = '{}', updated_at = excluded.updated_at";

        fixture.rows.update(save, 0, tenant);
        assertThat(left(tenant)).isEqualTo("tenant_settings");
        assertThat(fixture.erase(tenant, "tenant_settings", 10)).isEqualTo(2);
        assertThat(left(tenant)).isNull();

        fixture.rows.update(save, 1, tenant);
        assertThat(left(tenant)).isNull();
        assertThat(fixture.erase(tenant, "tenant_settings", 10)).isEqualTo(1);
    }

    private static String left(long tenant) {
        return fixture.rows.text("select string_agg(t, ',') from tenant_tables_left(?) t", tenant);
    }

    /** The page tells of each table what becomes of it; a new table fails here until somebody has decided. */
    @Test
    @Tag("RD-4")
    void the_page_on_redaction_names_every_table() throws Exception {
        String page = Files.readString(Path.of("docs/redaction.md"));
        List<String> missing = new ArrayList<>();
        try (Connection connection = fixture.rows.database.connect();
                var statement = connection.createStatement();
                var tables = statement.executeQuery(
                        "select relname from pg_class where relnamespace = 'ringfence'::regnamespace and relkind in ('r', 'p', 'm')"
                                + " and not relispartition")) {
            while (tables.next()) {
                if (!page.contains("`" + tables.getString(1) + "`")) {
                    missing.add(tables.getString(1));
                }
            }
        }
        assertThat(missing).isEmpty();
    }

    @Test
    @Tag("RD-1")
    @Tag("RD-3")
    void whatever_waits_ends_so_that_nothing_of_an_epoch_that_is_over_stays_live() throws Exception {
        long tenant = fixture.tenant(name);
        List<Long> ids = deliveries(tenant, 5);
        fixture.attempt(ids.get(0), "UNCERTAIN", -5);
        fixture.rows.update("update deliveries set state = 'retrying' where id = ?", ids.get(0));
        List<String> statuses = List.of("PENDING", "CLAIMED", "FAILED_RETRYABLE", "DEAD_LETTERED", "PUBLISHED");
        for (int i = 0; i < statuses.size(); i++) {
            String event = " where ordinal = (select event_ordinal from deliveries where id = " + ids.get(i) + ")";
            if (i > 0) {
                fixture.rows.update("update outbox_events set status = 'CLAIMED', locked_by = 'node',"
                        + " locked_until = now() + interval '1 minute'" + event);
            }
            if (i > 1) {
                fixture.rows.update(
                        "update outbox_events set status = ?, locked_by = null, locked_until = null,"
                                + " published_at = case when ? = 'PUBLISHED' then now() end" + event,
                        statuses.get(i),
                        statuses.get(i));
            }
        }

        fixture.fence(fixture.request(name), name);

        assertThat(fixture.rows.text(
                        "select string_agg(distinct state || '/' || last_code, ',') from deliveries where tenant_id = ?",
                        tenant))
                .isEqualTo("failed/REDACTED");
        assertThat(fixture.rows.text("select count(*) from deliveries_live where tenant_id = ?", tenant))
                .as("neither scanned nor counted as waiting any more")
                .isEqualTo("0");
        assertThat(fixture.rows.text(
                        "select string_agg(status, ',' order by status) from outbox_events where tenant_id = ?",
                        tenant))
                .isEqualTo("DISCARDED,DISCARDED,DISCARDED,DISCARDED,PUBLISHED");
        assertThat(fixture.rows.text("select count(locked_by) from outbox_events where tenant_id = ?", tenant))
                .isEqualTo("0");
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', delimiter = '|', textBlock = """
            RF060 | update redactions set tenant_hash = sha256('x')
            RF060 | update redactions set tenant = 'another'
            RF060 | update redactions set boundary = boundary + interval '1 second'
            RF060 | update redactions set remote_erasure = true
            RF064 | delete from redactions
            RF064 | truncate redactions cascade
            RF062 | update redaction_stages set attempts = attempts - 1
            RF062 | update redaction_stages set status = 'PENDING' where stage = 'FENCE'
            RF062 | update redaction_stages set status = 'FAILED' where stage = 'VERIFY'
            RF064 | delete from redaction_stages
            RF063 | update unresolved_markers set event_id = 'evt_other'
            RF064 | delete from unresolved_markers
            RF064 | select set_config('ringfence.erasure', 'on', false); delete from unresolved_markers
            """)
    @Tag("RD-2")
    @Tag("RD-3")
    void the_database_keeps_what_a_redaction_is_of(String state, String sql) throws Exception {
        long tenant = fixture.tenant(name);
        fixture.attempt(deliveries(tenant, 1).get(0), "UNCERTAIN", -5);
        UUID redaction = fixture.request(name);
        fixture.fence(redaction, name);

        assertRefusedSql(state, sql);
    }

    @Test
    @Tag("AT-8")
    void a_marker_is_resolved_once_and_takes_one_late_answer() throws Exception {
        long tenant = fixture.tenant(name);
        UUID reservation = fixture.attempt(deliveries(tenant, 1).get(0), "UNCERTAIN", -5);
        fixture.fence(fixture.request(name), name);
        String one = "update unresolved_markers set %s where reservation_id = '" + reservation + "'";

        fixture.rows.update(one.formatted("finding = 'PRESENT'"));
        fixture.rows.update(one.formatted("late_state = 'ACKNOWLEDGED', late_status = 200, late_at = now()"));
        assertRefusedSql("RF063", one.formatted("late_state = 'FAILED'"));
        fixture.rows.update(one.formatted("finding = 'ERASED', resolved_at = now(), resolved_by = 'ann'"));
        assertRefusedSql("RF063", one.formatted("finding = 'ABSENT'"));
        assertRefusedSql("RF063", one.formatted("finding = null, resolved_at = null, resolved_by = null"));
    }

    private static void assertRefusedSql(String state, String sql, Object... values) {
        assertRefused(state, () -> {
            try (Connection connection = fixture.rows.database.connect();
                    var statement = connection.prepareStatement(sql)) {
                for (int i = 0; i < values.length; i++) {
                    statement.setObject(i + 1, values[i]);
                }
                statement.execute();
                while (statement.getMoreResults() || statement.getUpdateCount() != -1) {
                    continue;
                }
            }
        });
    }

    private static void assertRefused(String state, org.assertj.core.api.ThrowableAssert.ThrowingCallable work) {
        assertThatThrownBy(work)
                .isInstanceOfSatisfying(
                        SQLException.class,
                        e -> assertThat(e.getSQLState()).as(e.getMessage()).isEqualTo(state));
    }
}
