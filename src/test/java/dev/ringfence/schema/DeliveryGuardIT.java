package dev.ringfence.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.harness.TestDatabase;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeliveryGuardIT {
    private static final TestDatabase DATABASE = TestDatabase.migrated();

    private static final List<String> STATES =
            List.of("pending", "retrying", "delivered", "failed", "dead", "skipped_filter");

    /** DL-1, within a cycle. */
    private static final Map<String, Set<String>> MOVES = Map.of(
            "pending", Set.of("delivered", "retrying", "dead", "failed"),
            "retrying", Set.of("delivered", "retrying", "dead", "failed"));

    /** DL-1, an operator's retry or a replay: a new cycle. */
    private static final Set<String> BEGUN_AGAIN = Set.of("retrying", "delivered", "failed", "dead");

    /** What is sent is delivered by an attempt. */
    private static final String ATTEMPTED = ", attempts = attempts + 1, cycle_attempts = cycle_attempts + 1";

    private final Refusals database = new Refusals(DATABASE);
    private final Rows rows = new Rows(DATABASE);

    @AfterAll
    static void drop() {
        DATABASE.close();
    }

    /** @param newCycle whether the statement counts a cycle on as it moves the delivery */
    private record Move(String from, String to, boolean newCycle) {
        static List<Move> all() {
            return STATES.stream()
                    .flatMap(from -> STATES.stream()
                            .flatMap(to -> Stream.of(new Move(from, to, false), new Move(from, to, true))))
                    .toList();
        }

        /** {@link Refusals#NONE} where it is a move, or none at all within its cycle. */
        String refusal() {
            boolean fits = newCycle == (to.equals("pending") && !from.equals("pending"));
            if (!fits) {
                return "RF023";
            }
            boolean legal = newCycle
                    ? BEGUN_AGAIN.contains(from)
                    : from.equals(to) || MOVES.getOrDefault(from, Set.of()).contains(to);
            return legal ? Refusals.NONE : "RF020";
        }

        String statement(String table, long delivery) {
            boolean delivers = to.equals("delivered") && !from.equals("delivered");
            String counts = newCycle ? ", cycle = cycle + 1, cycle_attempts = 0" : "";
            if (delivers) {
                counts = newCycle ? ", cycle = cycle + 1, cycle_attempts = 1, attempts = attempts + 1" : ATTEMPTED;
            }
            return "update " + table + " set state = '" + to + "'" + counts + " where id = " + delivery;
        }

        /** Where a delivery is that was asked to make it. */
        String end() {
            return refusal().equals(Refusals.NONE) ? to : from;
        }

        int endsInCycle() {
            return newCycle && refusal().equals(Refusals.NONE) ? 2 : 1;
        }
    }

    /** Each pair of states, within a cycle and with a new one. */
    @Test
    @Tag("DL-1")
    void exactly_the_moves_of_the_table_pass() throws SQLException {
        for (Move move : Move.all()) {
            long delivery = rows.deliveryMovedTo(move.from());
            assertThat(database.of(move.statement("ringfence.deliveries", delivery)))
                    .as(move.toString())
                    .isEqualTo(move.refusal());
            assertThat(count("deliveries where id = " + delivery + " and state = '" + move.end() + "' and cycle = "
                            + move.endsInCycle()))
                    .as("%s: where it is afterwards", move)
                    .isEqualTo(1);
        }
    }

    /** The partition that holds a row is a table, too. */
    @Test
    @Tag("DL-1")
    void no_other_move_passes_where_a_partition_is_named() throws SQLException {
        for (Move move : Move.all()) {
            if (move.refusal().equals(Refusals.NONE)) {
                continue;
            }
            long delivery = rows.deliveryMovedTo(move.from());
            assertThat(database.of(move.statement(partition(delivery), delivery)))
                    .as(move.toString())
                    .isEqualTo(move.refusal());
        }
    }

    @Test
    @Tag("DL-1")
    void a_delivery_begins_as_pending_or_skipped_only() throws SQLException {
        rows.delivery("pending");
        rows.delivery("skipped_filter");
        for (String state : List.of("retrying", "delivered", "failed", "dead")) {
            database.refuse("RF022", copy("ringfence.deliveries", state));
        }
    }

    @Test
    @Tag("DL-1")
    void nothing_gets_in_past_the_parent() throws SQLException {
        String week = thisWeek();
        database.refuse("RF051", copy("ringfence.deliveries_live", "retrying"));
        database.refuse("RF051", copy("ringfence.deliveries_finished", "dead"));
        database.refuse("RF051", copy(week, "dead"));
    }

    @Test
    @Tag("DL-1")
    void one_statement_moves_many_rows_between_partitions_and_back() throws SQLException {
        String app = "'00000000-0000-0000-0000-0000000000aa'";
        database.permit("""
                insert into ringfence.deliveries (id, tenant_id, app_id, epoch, subscription_id, event_ordinal,
                    event_recorded_at, event_id, message_id, mode, state, protocol, cycle_started_at, created_at, updated_at)
                select nextval('ringfence.ordinals'), 77, %1$s, %1$s, %1$s, n, at, 'e' || n, 'm' || n, 'PUSH', 'pending', 1,
                    at, at - n * interval '1 second', at
                  from generate_series(1, 500) as n, (select clock_timestamp() as at) as fresh""".formatted(app));

        database.permit("update ringfence.deliveries set state = case when event_ordinal % 2 = 0 then 'delivered'"
                + " else 'dead' end, finished_at = updated_at" + ATTEMPTED
                + " where tenant_id = 77 and state in ('pending', 'retrying')");

        assertThat(count("deliveries_live where tenant_id = 77")).isZero();
        assertThat(count("deliveries_finished where tenant_id = 77 and state = 'dead'"))
                .isEqualTo(250);

        database.permit("update ringfence.deliveries set state = 'pending', cycle = cycle + 1, cycle_attempts = 0"
                + " where tenant_id = 77 and state = 'dead'");
        assertThat(count("deliveries_live where tenant_id = 77 and cycle = 2")).isEqualTo(250);
        assertThat(count("deliveries where tenant_id = 77")).isEqualTo(500);
    }

    @Test
    @Tag("DL-1")
    void a_mixed_statement_is_refused_whole() throws SQLException {
        long legal = rows.delivery("pending");
        long illegal = rows.deliveryMovedTo("skipped_filter");
        database.refuse(
                "RF020",
                "update ringfence.deliveries set state = 'failed' where id in (" + legal + ", " + illegal + ")");
        assertThat(count("deliveries_live where id = " + legal)).isEqualTo(1);
    }

    @Test
    @Tag("DL-1")
    void only_an_erasure_deletes() throws SQLException {
        long live = rows.delivery("pending");
        long finished = rows.deliveryMovedTo("dead");
        database.refuse("RF050", "delete from ringfence.deliveries where id = " + live);
        database.refuse("RF050", "delete from ringfence.deliveries where id = " + finished);
        database.refuse("RF050", "delete from ringfence.deliveries_live where id = " + live);
        database.refuse("RF050", "delete from ringfence.deliveries_finished where id = " + finished);
        database.refuse("RF050", "delete from " + thisWeek() + " where id = " + finished);
        database.refuse("RF050", "truncate ringfence.deliveries_live");
        database.refuse("RF050", "truncate ringfence.deliveries");
        // A move in the same statement opens no way for a DELETE.
        database.refuse(
                "RF050",
                "with moved as (update ringfence.deliveries set state = 'dead' where id = " + live
                        + " returning id) delete from ringfence.deliveries where id = " + finished);
        database.permitErasing("delete from ringfence.deliveries where id in (" + live + ", " + finished + ")");
        database.refuse("RF050", "delete from ringfence.deliveries");
    }

    @Test
    @Tag("DL-1")
    void a_discarded_delivery_stays_where_it_is() throws SQLException {
        for (Move move : Move.all()) {
            long delivery = rows.deliveryMovedTo(move.from());
            database.permit("update ringfence.deliveries set discarded = true where id = " + delivery);
            boolean moves = !move.from().equals(move.to());
            assertThat(database.of(move.statement("ringfence.deliveries", delivery)))
                    .as(move.toString())
                    .isEqualTo(moves && move.refusal().equals(Refusals.NONE) ? "RF020" : move.refusal());
        }
        long delivery = rows.deliveryMovedTo("dead");
        database.permit("update ringfence.deliveries set discarded = true where id = " + delivery);
        database.refuse("RF025", "update ringfence.deliveries set discarded = false where id = " + delivery);
    }

    @Test
    @Tag("DL-3")
    void an_acceptance_is_never_erased_or_replaced() throws SQLException {
        long delivery = rows.delivery("pending");
        database.permit("update ringfence.deliveries set state = 'delivered', accepted_at = updated_at" + ATTEMPTED
                + " where id = " + delivery);
        database.refuse(
                "RF024",
                "update ringfence.deliveries set state = 'pending', cycle = 2, cycle_attempts = 0, accepted_at = null where id = "
                        + delivery);
        database.permit("update ringfence.deliveries set state = 'pending', cycle = 2, cycle_attempts = 0 where id = "
                + delivery);
        database.refuse(
                "RF024",
                "update ringfence.deliveries set accepted_at = accepted_at + interval '1 second' where id = "
                        + delivery);
        database.permit("update ringfence.deliveries set accepted_at = accepted_at where id = " + delivery);
    }

    @Test
    @Tag("AT-2")
    void attempts_count_up_and_a_new_cycle_goes_on_with_the_ledger() throws SQLException {
        long delivery = rows.delivery("pending");
        String update = "update ringfence.deliveries set ";
        String where = " where id = " + delivery;
        database.permit(update + "attempts = 1, cycle_attempts = 1" + where);
        database.refuse("RF023", update + "attempts = 0, cycle_attempts = 0" + where);
        database.refuse("RF023", update + "cycle_attempts = 0" + where);
        database.refuse("RF023", update + "cycle = 2, cycle_attempts = 0" + where);
        database.permit(update + "state = 'dead'" + where);
        database.refuse("RF023", update + "state = 'pending'" + where);
        database.refuse("RF023", update + "state = 'pending', cycle = 3, cycle_attempts = 0" + where);
        database.refuse("RF023", update + "state = 'pending', cycle = 2, cycle_attempts = 1" + where);
        database.refuse("RF023", update + "state = 'pending', cycle = 2, cycle_attempts = 0, attempts = 0" + where);
        database.permit(update + "state = 'pending', cycle = 2, cycle_attempts = 0" + where);
        database.refuse("23514", update + "cycle_attempts = 2" + where);
    }

    @Test
    @Tag("AT-3")
    void a_release_gives_one_attempt_back_and_keeps_its_number() throws SQLException {
        long delivery = rows.delivery("pending");
        String update = "update ringfence.deliveries set ";
        String where = " where id = " + delivery;
        database.permit(update + "attempts = 1, cycle_attempts = 1, reservation_id = gen_random_uuid(),"
                + " lease_until = updated_at" + where);
        database.refuse("RF023", update + "reservation_id = null, cycle_attempts = 0, attempts = 0" + where);
        database.permit(update + "reservation_id = null, cycle_attempts = 0" + where);
        database.refuse("RF023", update + "cycle_attempts = -1" + where);
    }

    @Test
    @Tag("AT-2")
    void an_open_attempt_has_a_lease_and_keeps_its_delivery_live() throws SQLException {
        long delivery = rows.delivery("pending");
        String update = "update ringfence.deliveries set ";
        String where = " where id = " + delivery;
        database.refuse("23514", update + "reservation_id = gen_random_uuid()" + where);
        database.permit(
                update + "reservation_id = gen_random_uuid(), lease_until = updated_at, state = 'retrying'" + where);
        database.refuse("23514", update + "state = 'dead'" + where);
        database.refuse("RF023", update + "state = 'pending', cycle = 2" + where);
        database.permit(update + "state = 'dead', reservation_id = null" + where);
    }

    @ParameterizedTest
    @Tag("SB-4")
    @ValueSource(
            strings = {
                "id",
                "tenant_id",
                "app_id",
                "epoch",
                "subscription_id",
                "event_ordinal",
                "event_recorded_at",
                "event_id",
                "message_id",
                "mode",
                "body_bytes",
                "body_sha256",
                "protocol",
                "created_at",
                "event_name",
                "octets"
            })
    void what_is_sent_and_for_whom_is_immutable(String column) throws SQLException {
        String set = "update ringfence.deliveries set " + column + " = " + column + " where id = ";
        database.refuse("RF021", set + rows.delivery("pending"));
        database.refuse("RF021", set + rows.deliveryMovedTo("dead"));
    }

    @Test
    @Tag("SB-4")
    void the_url_changes_with_a_new_cycle_only() throws SQLException {
        long delivery = rows.deliveryMovedTo("dead");
        database.refuse(
                "RF026", "update ringfence.deliveries set url = 'https://other.example' where id = " + delivery);
        database.permit("update ringfence.deliveries set url = 'https://other.example', state = 'pending', cycle = 2"
                + " where id = " + delivery);
    }

    private static String copy(String table, String state) {
        return """
                insert into %s (id, tenant_id, app_id, epoch, subscription_id, event_ordinal, event_recorded_at, event_id,
                    message_id, mode, state, protocol, cycle_started_at, created_at, updated_at)
                select nextval('ringfence.ordinals'), 1, u, u, u, 1, at, 'e', 'm', 'PUSH', '%s', 1, at, at, at
                  from (select clock_timestamp() as at, gen_random_uuid() as u) as fresh""".formatted(table, state);
    }

    private String thisWeek() throws SQLException {
        return partition(rows.deliveryMovedTo("delivered"));
    }

    /** The table that holds the row. */
    private static String partition(long delivery) throws SQLException {
        try (var connection = DATABASE.connect();
                var statement = connection.createStatement();
                var row = statement.executeQuery(
                        "select tableoid::regclass::text from ringfence.deliveries where id = " + delivery)) {
            row.next();
            return row.getString(1);
        }
    }

    private static long count(String from) {
        return DATABASE.number("select count(*) from ringfence." + from);
    }
}
