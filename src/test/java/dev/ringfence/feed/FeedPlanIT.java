package dev.ringfence.feed;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.Statement;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A page costs what it shows: neither other feeds nor what waits behind it are read, also by a generic plan. */
class FeedPlanIT {
    private final FeedFixture feed = new FeedFixture();

    @AfterEach
    void close() {
        feed.close();
    }

    @Test
    @Tag("PL-3")
    void a_page_follows_its_index() throws Exception {
        feed.put();
        feed.rows.update(
                "insert into deliveries (id, tenant_id, app_id, epoch, subscription_id, event_ordinal, event_recorded_at, event_id,"
                        + " message_id, mode, state, protocol, cycle_started_at, next_attempt_at, created_at, updated_at)"
                        + " select nextval('ordinals'), d.tenant_id, d.app_id, d.epoch,"
                        + " case when n % 20 = 0 then d.subscription_id else ?::uuid end, d.event_ordinal, d.event_recorded_at,"
                        + " d.event_id, d.message_id, case when n % 3 = 0 then 'PUSH' else 'PULL' end, d.state, d.protocol,"
                        + " d.cycle_started_at, now(), d.created_at, d.updated_at from deliveries_live d, generate_series(1, 20000) n",
                UUID.randomUUID());
        feed.rows.database.execute("analyze deliveries_live; analyze outbox_events");
        String sql = FeedRepository.PAGE;
        for (int parameter = 1; sql.contains("?"); parameter++) {
            sql = sql.replaceFirst("\\?", "\\$" + parameter);
        }
        try (Connection connection = feed.rows.database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("set plan_cache_mode = force_generic_plan");
            statement.execute("prepare page as " + sql);
            StringBuilder plan = new StringBuilder();
            try (var lines = statement.executeQuery("explain (costs off) execute page ('" + feed.subscription
                    + "', '0', 0, '" + feed.subscription + "', 50, 1000000)")) {
                while (lines.next()) {
                    plan.append(lines.getString(1)).append('\n');
                }
            }
            assertThat(plan)
                    .contains("deliveries_live_feed", "pg_snapshot_xmin")
                    .doesNotContain("Seq Scan on deliveries", "Bitmap", "Sort")
                    .doesNotContainPattern("Filter: .*(mode|feed_xid)");
        }
    }
}
