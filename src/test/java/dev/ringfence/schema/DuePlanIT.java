package dev.ringfence.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.harness.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is due is found by index also when the planner has gone over to generic plans, that is after five executions. */
class DuePlanIT {
    private static final TestDatabase DATABASE = TestDatabase.migrated();

    @BeforeAll
    static void fill() {
        DATABASE.execute("""
                insert into ringfence.deliveries (id, tenant_id, app_id, epoch, subscription_id, event_ordinal,
                    event_recorded_at, event_id, message_id, mode, state, protocol, cycle_started_at, next_attempt_at,
                    created_at, updated_at)
                select n, n % 20, u, u, u, n, at, 'evt_' || n, 'msg_' || n, 'PUSH', 'pending', 1, at,
                    at + (n - 200) * interval '1 minute', at, at
                  from generate_series(1, 50000) as n,
                    (select clock_timestamp() as at, '00000000-0000-0000-0000-000000000001'::uuid as u) as fresh;
                analyze ringfence.deliveries_live""");
    }

    @AfterAll
    static void drop() {
        DATABASE.close();
    }

    @Test
    @Tag("AT-1")
    void due_deliveries_of_an_endpoint_in_the_hot_partition() throws SQLException {
        assertThat(genericPlan("""
                prepare due (bigint, uuid, timestamptz) as
                select id from ringfence.deliveries_live
                 where tenant_id = $1 and subscription_id = $2 and state in ('pending', 'retrying')
                   and next_attempt_at <= $3 and reservation_id is null
                 order by next_attempt_at limit 100""", "3, '00000000-0000-0000-0000-000000000001', now()"))
                .contains("deliveries_live_due")
                .doesNotContain("Seq Scan", "Sort");
    }

    @Test
    @Tag("AT-1")
    void due_deliveries_through_the_parent_touch_no_history() throws SQLException {
        assertThat(genericPlan("""
                prepare due (bigint, uuid, timestamptz) as
                select id from ringfence.deliveries
                 where tenant_id = $1 and subscription_id = $2 and state in ('pending', 'retrying')
                   and next_attempt_at <= $3
                 order by next_attempt_at limit 100""", "3, '00000000-0000-0000-0000-000000000001', now()"))
                .contains("deliveries_live_due")
                .doesNotContain("Seq Scan", "deliveries_finished");
    }

    /** The plan of the seventh execution, which must be a generic one. */
    private static String genericPlan(String prepare, String arguments) throws SQLException {
        try (Connection connection = DATABASE.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(prepare);
            statement.execute("set plan_cache_mode = force_generic_plan");
            for (int i = 0; i < 6; i++) {
                statement.execute("execute due (" + arguments + ")");
            }
            try (var rows = statement.executeQuery(
                    "select generic_plans >= 6 from pg_prepared_statements where name = 'due'")) {
                rows.next();
                assertThat(rows.getBoolean(1)).as("generic plan").isTrue();
            }
            StringBuilder plan = new StringBuilder();
            try (var rows = statement.executeQuery("explain (costs off) execute due (" + arguments + ")")) {
                while (rows.next()) {
                    plan.append(rows.getString(1)).append('\n');
                }
            }
            return plan.toString();
        }
    }
}
