package dev.ringfence.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.delivery.DeliveryFixture;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Looking for whose turn it is costs what the queues cost that are looked at, however much is held, with generic plans too (OB-5). */
@Tag("OB-5")
class OrderPlanIT {
    private static DeliveryFixture fixture;

    @BeforeAll
    static void fill() {
        fixture = new DeliveryFixture();
        long tenant = fixture.tenant("full");
        UUID subscription = fixture.subscription(tenant, "AT_LEAST_ONCE", 6);
        fixture.update("update subscriptions set ordering = 'KEY', on_dead = 'BLOCK' where id = ?", subscription);
        fixture.update(
                "insert into deliveries (id, tenant_id, app_id, epoch, subscription_id, event_ordinal, event_recorded_at, event_id, message_id,"
                        + " mode, state, protocol, cycle_started_at, next_attempt_at, created_at, updated_at, order_key, order_sequence)"
                        + " select nextval('ordinals'), ?, ?, ?, ?, n, at, 'evt_' || n, 'msg_' || n, 'PUSH', 'pending', 1, at, 'infinity', at, at,"
                        + " 'key-' || n % 1000, n / 1000 + 1 from generate_series(0, 99999) n, (select now() as at) t",
                tenant, fixture.app, fixture.epoch, subscription);
        fixture.update("analyze deliveries_live");
    }

    @AfterAll
    static void drop() {
        fixture.close();
    }

    @Test
    void a_release_reads_the_heads_by_index() throws SQLException {
        String plan = plan(
                ReleaseRepository.RELEASE,
                "timestamptz, uuid[], text[]",
                "now(), '{00000000-0000-0000-0000-000000000001}', '{key-7}'");
        assertThat(plan)
                .contains(
                        "deliveries_live_order",
                        "deliveries_live_pkey",
                        "ordering_key_order_sequence_idx",
                        "Index Cond: ((tenant_id = h",
                        "order_blocks_pkey")
                .doesNotContain("Seq Scan on deliveries_live", "Seq Scan on outbox_events");
    }

    @Test
    void a_sweep_jumps_from_queue_to_queue() throws SQLException {
        String plan = plan(
                ReleaseRepository.QUEUES, "uuid, text, integer", "'00000000-0000-0000-0000-000000000000', '', 1000");
        assertThat(plan).contains("deliveries_live_order").doesNotContain("Seq Scan", "Sort");
    }

    private static String plan(String sql, String types, String arguments) throws SQLException {
        StringBuilder numbered = new StringBuilder();
        int parameter = 0;
        for (char c : sql.toCharArray()) {
            numbered.append(c == '?' ? "$" + ++parameter : String.valueOf(c));
        }
        StringBuilder plan = new StringBuilder();
        try (Connection connection = fixture.database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("prepare look (" + types + ") as " + numbered);
            statement.execute("set plan_cache_mode = force_generic_plan");
            try (var rows = statement.executeQuery("explain (costs off) execute look (" + arguments + ")")) {
                while (rows.next()) {
                    plan.append(rows.getString(1)).append('\n');
                }
            }
        }
        return plan.toString();
    }
}
