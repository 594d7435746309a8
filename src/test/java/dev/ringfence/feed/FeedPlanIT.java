package dev.ringfence.feed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.harness.KeptSession;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
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

    @Test
    @Tag("PL-3")
    void what_a_cursor_covers_is_looked_up_also_with_a_plan_kept_from_an_empty_table() throws Exception {
        try (KeptSession session = new KeptSession(feed.rows.database, 400)) {
            FeedRepository repository = new FeedRepository(session);
            Instant now = Instant.now();
            List<Long> unknown = List.of(1L, 2L);
            session.count(() -> repository.deliver(unknown, now) + repository.deny(unknown, now));
            List<Long> waiting = waiting(20_000);

            KeptSession.Counted<Integer> delivered =
                    session.count(() -> repository.deliver(waiting.subList(0, 50), now));
            KeptSession.Counted<Integer> denied = session.count(() -> repository.deny(waiting.subList(50, 100), now));

            assertThat(List.of(delivered.result(), denied.result())).containsExactly(50, 50);
            assertThat(List.of(delivered.read(), denied.read()))
                    .allSatisfy(rows -> assertThat(rows).isBetween(50L, 500L));
        }
    }

    /** Makes so many, and says which they are. */
    private List<Long> waiting(int count) throws Exception {
        feed.put();
        feed.rows.update(
                "insert into deliveries (id, tenant_id, app_id, epoch, subscription_id, event_ordinal, event_recorded_at, event_id,"
                        + " message_id, mode, state, protocol, cycle_started_at, created_at, updated_at)"
                        + " select nextval('ordinals'), d.tenant_id, d.app_id, d.epoch, d.subscription_id, d.event_ordinal,"
                        + " d.event_recorded_at, d.event_id, d.message_id, d.mode, d.state, d.protocol, d.cycle_started_at,"
                        + " d.created_at, d.updated_at from deliveries_live d, generate_series(1, ?)",
                count);
        return Arrays.stream(feed.rows
                        .text("select string_agg(id::text, ',' order by id) from deliveries_live")
                        .split(","))
                .map(Long::valueOf)
                .toList();
    }
}
