package dev.ringfence.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.harness.TestDatabase;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the database itself refuses of deliveries that are fetched, and of cursors. */
class FeedGuardIT {
    private static final TestDatabase DATABASE = TestDatabase.migrated();

    private final Refusals database = new Refusals(DATABASE);
    private final Rows rows = new Rows(DATABASE);

    @AfterAll
    static void drop() {
        DATABASE.close();
    }

    private static String set(String what, long delivery) {
        return "update ringfence.deliveries set " + what + " where id = " + delivery;
    }

    private long pulled() throws SQLException {
        long like = rows.delivery("pending");
        DATABASE.execute("""
                insert into ringfence.deliveries (id, tenant_id, app_id, epoch, subscription_id, event_ordinal, event_recorded_at,
                    event_id, message_id, mode, state, protocol, cycle_started_at, next_attempt_at, created_at, updated_at)
                select -id, tenant_id, app_id, epoch, subscription_id, event_ordinal, event_recorded_at, event_id, message_id,
                    'PULL', state, protocol, cycle_started_at, next_attempt_at, created_at, updated_at
                  from ringfence.deliveries where id = %d""".formatted(like));
        return -like;
    }

    @Test
    @Tag("DL-1")
    void only_what_is_fetched_is_delivered_without_an_attempt() throws SQLException {
        long pulled = pulled();
        database.refuse("RF028", set("state = 'delivered'", rows.delivery("pending")));
        database.permit(set("state = 'delivered'", pulled));
        database.permit(set("state = 'pending', cycle = 2, cycle_attempts = 0", pulled));
        database.permit(set("state = 'failed'", pulled));
    }

    @Test
    @Tag("DL-1")
    void what_is_fetched_has_no_attempts() throws SQLException {
        long pulled = pulled();
        database.refuse("RF028", set("state = 'retrying'", pulled));
        database.refuse("RF028", set("state = 'dead'", pulled));
        database.refuse("RF028", set("reservation_id = gen_random_uuid(), lease_until = now()", pulled));
        database.refuse("RF028", set("attempts = 1, cycle_attempts = 1", pulled));
    }

    @Test
    @Tag("PL-1")
    @Tag("PL-2")
    void what_waits_to_be_fetched_has_a_place_and_is_never_due() throws SQLException {
        long pulled = pulled();
        String place = "select feed_xid::text || ' ' || (next_attempt_at is null) from ringfence.deliveries where id = "
                + pulled;
        String first = DATABASE.text(place);
        assertThat(first).matches("[0-9]+ true");
        database.permit(set("state = 'delivered'", pulled));
        assertThat(DATABASE.text(place)).isEqualTo(first);
        database.permit(set("state = 'pending', cycle = 2, cycle_attempts = 0, next_attempt_at = now()", pulled));
        assertThat(DATABASE.text(place)).matches("[0-9]+ true").isNotEqualTo(first);
        assertThat(DATABASE.number(
                        "select count(*) from ringfence.deliveries where mode = 'PUSH' and feed_xid is not null"))
                .isZero();
    }

    @Test
    @Tag("PL-1")
    void a_cursor_only_moves_forward() throws SQLException {
        DATABASE.execute("""
                insert into ringfence.apps (id, name, created_at, updated_at)
                values ('00000000-0000-0000-0000-0000000000cc', 'shop', now(), now());
                insert into ringfence.subscriptions (id, app_id, tenant_id, name, mode, signing, ack, semantics, retry_waits,
                    retry_jitter, retry_attempts, in_flight, timeout_ms, dead_threshold, status, grants, created_at, updated_at)
                values ('00000000-0000-0000-0000-0000000000dd', '00000000-0000-0000-0000-0000000000cc', 5, 'reader', 'PULL', '[]',
                    'STATUS', 'AT_LEAST_ONCE', '{}', 0, 1, 1, 100, 1, 'ACTIVE', '{*}', now(), now())""");
        database.permit("update ringfence.feed_cursors set xid = '20', delivery_id = 5");
        database.permit("update ringfence.feed_cursors set xid = '21', delivery_id = 4");
        database.refuse("RF035", "update ringfence.feed_cursors set xid = '20', delivery_id = 9");
        database.refuse("RF035", "update ringfence.feed_cursors set delivery_id = 3");
        database.refuse("RF035", "update ringfence.feed_cursors set tenant_id = 6");
        database.permit("update ringfence.feed_cursors set generation = gen_random_uuid(), xid = '0', delivery_id = 0");
        database.permit("delete from ringfence.subscriptions");
        assertThat(DATABASE.number("select count(*) from ringfence.feed_cursors"))
                .isZero();
    }
}
