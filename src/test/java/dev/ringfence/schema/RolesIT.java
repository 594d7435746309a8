package dev.ringfence.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringfence.config.DataSources;
import dev.ringfence.harness.TestDatabase;
import dev.ringfence.security.ApiKey;
import dev.ringfence.security.ApiKeyRepository;
import dev.ringfence.security.ApiKeySecret;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** The production roles: the migration runs as the owner, everything else as the application. */
class RolesIT {
    private static final String REFUSED = "42501";
    private static final TestDatabase DATABASE = TestDatabase.empty();

    @BeforeAll
    static void prepareAsTheScriptSays() throws Exception {
        applyRoles();
        assertThatThrownBy(() -> new ChangeLog(as("ringfence_app"), Duration.ofSeconds(10)).update())
                .as("the application cannot migrate")
                .isInstanceOf(IllegalStateException.class);
        new ChangeLog(as("ringfence_owner"), Duration.ofSeconds(10)).update();
        applyRoles();
        applyRoles();
        PartitionsRepository.ensure(as("ringfence_app"), Instant.now(), 2);
        run("insert into ringfence.apps (id, name, created_at, updated_at) values"
                + " ('00000000-0000-0000-0000-000000000001', 'shop', clock_timestamp(), clock_timestamp())");
        run("insert into ringfence.tenant_lifecycle (app_id, tenant_hash, tenant, fence_key, epoch, phase, created_at,"
                + " updated_at) values ('00000000-0000-0000-0000-000000000001', sha256('t'), 't', 1, gen_random_uuid(),"
                + " 'ACTIVE', clock_timestamp(), clock_timestamp())");
        run("insert into ringfence.audit_log (at, actor, action, target)"
                + " values (clock_timestamp(), 'ann', 'RETRY', 'delivery 1')");
        run("insert into ringfence.deliveries (id, tenant_id, app_id, epoch, subscription_id, event_ordinal,"
                + " event_recorded_at, event_id, message_id, mode, state, protocol, cycle_started_at, created_at, updated_at)"
                + " select nextval('ringfence.ordinals'), 1, u, u, u, 1, at, 'e', 'm', 'PUSH', 'pending', 1, at, at, at"
                + " from (select clock_timestamp() as at, gen_random_uuid() as u) as fresh, generate_series(1, 3)");
    }

    @AfterAll
    static void drop() {
        DATABASE.close();
    }

    @Test
    void the_application_sees_that_nothing_is_pending() {
        assertThat(new ChangeLog(as("ringfence_app"), Duration.ofSeconds(10)).pending())
                .isEmpty();
    }

    @ParameterizedTest
    @MethodSource("ordinary")
    void what_the_application_does_works(String sql) throws SQLException {
        run(sql);
    }

    static Stream<String> ordinary() {
        return Stream.of(
                "update ringfence.tenant_lifecycle set epoch = gen_random_uuid(), enable_generation = 1",
                "select 1 from ringfence.tenant_lifecycle for share",
                "select 1 from ringfence.deliveries_live for update skip locked",
                // moves a row to a week, on which the application has no right
                "update ringfence.deliveries set state = 'dead', finished_at = updated_at"
                        + " where id = (select min(id) from ringfence.deliveries_live)",
                "update ringfence.deliveries set state = 'pending', cycle = cycle + 1 where state = 'dead'",
                "update ringfence.deliveries_live set attempts = attempts + 1",
                "insert into ringfence.operation_receipts (tenant_id, client_operation_id, epoch, body_sha256, outcome,"
                        + " aggregate_type, aggregate_id, recorded_at) values (1, 'op', gen_random_uuid(), '', 'CONFLICTED',"
                        + " 'order', 'o-1', clock_timestamp())",
                "update ringfence.operation_receipts set outcome = 'ACCEPTED', version = 1, event_ids = '{}', reason = null",
                "insert into ringfence.nodes values ('n', clock_timestamp(), clock_timestamp())"
                        + " on conflict (node) do update set heartbeat_at = excluded.heartbeat_at",
                "delete from ringfence.idempotency_keys where expires_at < clock_timestamp()",
                "select ringfence.ensure_partitions(clock_timestamp(), 3)",
                "select * from ringfence.drop_deliveries_week(clock_timestamp() - interval '90 days')",
                "select * from ringfence.drop_events_week(clock_timestamp() - interval '90 days')",
                "create table ringfence_batch.job_instance (id bigint)");
    }

    @Test
    @Tag("SC-1")
    void the_application_stores_the_first_key() {
        ApiKeyRepository keys = new ApiKeyRepository(new DataSources() {
            @Override
            public DataSource jta() {
                return as("ringfence_app");
            }
        });
        ApiKeySecret secret = ApiKeySecret.of("first-key-of-an-empty-installation");

        assertThat(keys.insertFirst(
                        new ApiKey(UUID.randomUUID(), null, "bootstrap", List.of("admin"), Instant.now(), null),
                        secret))
                .isTrue();
        assertThat(keys.findBySecret(secret)).isPresent();
    }

    @ParameterizedTest
    @Tag("OP-1")
    @ValueSource(
            strings = {
                "update ringfence.audit_log set reason = 'x'",
                "delete from ringfence.audit_log",
                "truncate ringfence.audit_log",
                "alter table ringfence.audit_log disable trigger audit_append_only",
                "drop trigger audit_append_only on ringfence.audit_log"
            })
    void the_audit_log_is_out_of_reach(String sql) {
        assertRefused(sql);
    }

    @ParameterizedTest
    @Tag("LC-1")
    @ValueSource(
            strings = {
                "delete from ringfence.tenant_lifecycle",
                "update ringfence.tenant_lifecycle set fence_key = 2",
                "truncate ringfence.tenant_lifecycle",
                "drop table ringfence.tenant_lifecycle cascade"
            })
    void a_tenants_row_stays(String sql) {
        assertRefused(sql);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "delete from ringfence.outbox_events",
                "delete from ringfence.deliveries",
                "delete from ringfence.deliveries_live",
                "delete from ringfence.delivery_attempts",
                "delete from ringfence.event_keys",
                "delete from ringfence.delivery_keys",
                "update ringfence.outbox_events set payload_bytes = payload_bytes",
                "update ringfence.deliveries set message_id = message_id",
                "update ringfence.operation_receipts set epoch = epoch",
                "update ringfence.databasechangelog set md5sum = 'x'",
                "create table ringfence.mine (id bigint)",
                "create temporary table mine (id bigint)",
                "create schema mine",
                "alter table ringfence.deliveries_live disable trigger all",
                "select setval('ringfence.ordinals', 1)",
                "select ringfence.add_week('outbox_events', 'x', '2026-01-05', 'fillfactor = 80')",
                "select ringfence.refuse_rollback()",
                "select ringfence.weeks('outbox_events')",
                "select ringfence.take_turn('ringfence.outbox_events')",
                "do $$ begin execute format('drop table ringfence.outbox_events_%s',"
                        + " to_char(clock_timestamp() at time zone 'UTC', 'IYYY\"w\"IW')); end $$",
                "do $$ begin lock table ringfence.deliveries_finished in access exclusive mode; end $$",
                "set session_replication_role = 'replica'",
                "set role ringfence_owner"
            })
    void what_the_application_has_no_business_with_is_refused(String sql) {
        assertRefused(sql);
    }

    @ParameterizedTest
    @Tag("RD-1")
    @ValueSource(
            strings = {
                "delete from ringfence.redactions",
                "insert into ringfence.redactions (id, tenant_id, boundary) values (gen_random_uuid(), 1, clock_timestamp())",
                "update ringfence.redactions set boundary = clock_timestamp()",
                "update ringfence.redactions set tenant_id = 1",
                "update ringfence.redactions set epoch_before = gen_random_uuid()",
                "delete from ringfence.redaction_stages",
                "update ringfence.redaction_stages set position = 1",
                "insert into ringfence.unresolved_markers (reservation_id) values (gen_random_uuid())",
                "delete from ringfence.unresolved_markers",
                "update ringfence.unresolved_markers set epoch = epoch",
                "delete from ringfence.aggregates",
                "delete from ringfence.operation_receipts",
                "delete from ringfence.inbox_events",
                "delete from ringfence.tenant_settings",
                "delete from ringfence.app_cancellations",
                "select ringfence.mark_unresolved(gen_random_uuid(), 1, null, null, null)"
            })
    void what_a_redaction_erases_and_keeps_is_reached_through_its_functions_only(String sql) {
        assertRefused(sql);
    }

    @Test
    @Tag("RD-1")
    void what_runs_with_the_owners_rights_has_a_fixed_search_path_and_is_nobody_elses() throws SQLException {
        try (Connection connection = DATABASE.superuser();
                Statement statement = connection.createStatement()) {
            try (var rows = statement.executeQuery(
                    "select count(*), string_agg(p.proname, ',') filter (where not coalesce('search_path=pg_catalog, pg_temp'"
                            + " = any (p.proconfig), false) or has_function_privilege('public', p.oid, 'execute'))"
                            + " from pg_proc p where p.pronamespace = 'ringfence'::regnamespace and p.prosecdef")) {
                rows.next();
                assertThat(rows.getInt(1)).isGreaterThanOrEqualTo(4);
                assertThat(rows.getString(2)).isNull();
            }
        }
    }

    private static void assertRefused(String sql) {
        assertThatThrownBy(() -> run("select set_config('ringfence.erasure', 'on', false)", sql))
                .as(sql)
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(REFUSED));
    }

    private static void run(String... statements) throws SQLException {
        try (Connection connection = as("ringfence_app").getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : List.of(statements)) {
                statement.execute(sql);
            }
        }
    }

    private static void applyRoles() throws Exception {
        try (Connection connection = DATABASE.superuser();
                Statement statement = connection.createStatement()) {
            statement.execute(Files.readString(Path.of("server-config/postgresql/roles.sql")));
        }
    }

    private static DataSource as(String role) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(DATABASE.url());
        source.setUser(role);
        source.setCurrentSchema("ringfence");
        return source;
    }
}
