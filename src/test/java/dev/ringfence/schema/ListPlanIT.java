package dev.ringfence.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.harness.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The newest page of a single application's list costs what the page costs, however much the others have. */
class ListPlanIT {
    private static final TestDatabase DATABASE = TestDatabase.migrated();

    @BeforeAll
    static void fill() {
        DATABASE.execute("""
                insert into ringfence.deliveries (id, tenant_id, app_id, epoch, subscription_id, event_ordinal,
                    event_recorded_at, event_id, message_id, mode, state, protocol, cycle_started_at, created_at, updated_at,
                    finished_at)
                select n, 1, ('00000000-0000-0000-0000-' || lpad((n % 200)::text, 12, '0'))::uuid, u, u, n, at, 'evt_' || n,
                    'msg_' || n, 'PUSH', 'skipped_filter', 1, at, at, at, at
                  from generate_series(1, 40000) as n, (select clock_timestamp() as at, gen_random_uuid() as u) as fresh;
                insert into ringfence.outbox_events (ordinal, tenant_id, app_id, epoch, request_started_at, event_id,
                    event_name, event_version, occurred_at, recorded_at, producer, aggregate_type, aggregate_id, actor,
                    correlation_id, causation_id, payload, metadata, payload_bytes, payload_sha256, status, available_at,
                    created_at, updated_at)
                select n, 1, ('00000000-0000-0000-0000-' || lpad((n % 200)::text, 12, '0'))::uuid, u, at, 'evt_' || n,
                    'shop.order.placed.v1', 1, at, at, 'shop', 'order', 'o-1', '{}', 'cor_1', 'req_1', '{}', '{}', '{}', '',
                    'PENDING', at, at, at
                  from generate_series(1, 40000) as n, (select clock_timestamp() as at, gen_random_uuid() as u) as fresh;
                analyze ringfence.deliveries;
                analyze ringfence.outbox_events""");
    }

    @AfterAll
    static void drop() {
        DATABASE.close();
    }

    @Test
    void newest_deliveries_of_an_application() throws SQLException {
        assertThat(plan("select * from ringfence.deliveries where app_id = '00000000-0000-0000-0000-000000000007'"
                        + " order by id desc limit 51"))
                .contains("Merge Append")
                .containsPattern("Index Scan Backward using deliveries_finished_\\w+_app_id_id_idx");
    }

    @Test
    void newest_events_of_an_application() throws SQLException {
        assertThat(plan("select * from ringfence.outbox_events where app_id = '00000000-0000-0000-0000-000000000007'"
                        + " order by ordinal desc limit 51"))
                .contains("Merge Append")
                .containsPattern("Index Scan Backward using outbox_events_\\w+_app_id_ordinal_idx");
    }

    private static String plan(String sql) throws SQLException {
        try (Connection connection = DATABASE.connect();
                Statement statement = connection.createStatement();
                var rows = statement.executeQuery("explain (costs off) " + sql)) {
            StringBuilder plan = new StringBuilder();
            while (rows.next()) {
                plan.append(rows.getString(1)).append('\n');
            }
            return plan.toString();
        }
    }
}
