package dev.ringfence.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.harness.TestDatabase;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AttemptGuardIT {
    private static final TestDatabase DATABASE = TestDatabase.migrated();
    private static final List<String> STATES =
            List.of("SENDING", "ACKNOWLEDGED", "FAILED", "UNCERTAIN", "CANCELLED", "NOT_SENT", "RELEASED");

    private final Refusals database = new Refusals(DATABASE);
    private final Rows rows = new Rows(DATABASE);

    @AfterAll
    static void drop() {
        DATABASE.close();
    }

    @Test
    @Tag("AT-2")
    void an_attempt_gets_exactly_one_outcome() throws SQLException {
        for (String from : STATES) {
            for (String to : STATES) {
                long delivery = rows.attempt();
                if (!from.equals("SENDING")) {
                    database.permit(outcome(delivery, from));
                }
                boolean legal = from.equals("SENDING") && !to.equals("SENDING");
                assertThat(database.of(outcome(delivery, to)))
                        .as(from + " > " + to)
                        .isEqualTo(legal ? Refusals.NONE : "RF030");
            }
        }
    }

    @Test
    @Tag("AT-3")
    void only_a_released_attempt_does_not_count() throws SQLException {
        long delivery = rows.attempt();
        database.refuse("23514", set(delivery, "state = 'FAILED', finished_at = started_at, counted = false"));
        database.refuse("23514", set(delivery, "state = 'RELEASED', finished_at = started_at"));
        database.permit(set(delivery, "state = 'RELEASED', finished_at = started_at, counted = false"));
    }

    @Test
    @Tag("AT-8")
    void a_late_answer_is_history_and_written_once() throws SQLException {
        long delivery = rows.attempt();
        String late = "late_state = 'ACKNOWLEDGED', late_status = 200, late_at = clock_timestamp()";
        database.refuse("RF033", set(delivery, late));
        database.permit(outcome(delivery, "UNCERTAIN"));
        database.permit(set(delivery, late));
        database.refuse("RF033", set(delivery, late));
        database.refuse("RF030", set(delivery, "state = 'ACKNOWLEDGED'"));
    }

    @Test
    @Tag("AT-1")
    void an_attempt_begins_as_sending() throws SQLException {
        long delivery = rows.attempt();
        database.refuse(
                "RF032",
                "insert into ringfence.delivery_attempts (delivery_id, delivery_created_at, number, cycle,"
                        + " tenant_id, reservation_id, state, node, started_at, send_by, finished_at) select delivery_id,"
                        + " delivery_created_at, 2, 1, 1, gen_random_uuid(), 'ACKNOWLEDGED', node, started_at, send_by, started_at"
                        + " from ringfence.delivery_attempts where delivery_id = " + delivery);
        database.refuse(
                "23505",
                "insert into ringfence.delivery_attempts (delivery_id, delivery_created_at, number, cycle,"
                        + " tenant_id, reservation_id, state, node, started_at, send_by) select delivery_id,"
                        + " delivery_created_at, 1, 1, 1, gen_random_uuid(), 'SENDING', node, started_at, send_by"
                        + " from ringfence.delivery_attempts where delivery_id = " + delivery);
    }

    @ParameterizedTest
    @Tag("AT-2")
    @ValueSource(
            strings = {
                "delivery_id",
                "delivery_created_at",
                "number",
                "cycle",
                "tenant_id",
                "reservation_id",
                "node",
                "started_at",
                "send_by"
            })
    void a_reservation_is_immutable(String column) throws SQLException {
        database.refuse("RF031", set(rows.attempt(), column + " = " + column));
    }

    @Test
    @Tag("AT-2")
    void only_an_erasure_deletes() throws SQLException {
        String delete = "delete from ringfence.delivery_attempts where delivery_id = " + rows.attempt();
        database.refuse("RF050", delete);
        database.refuse("RF050", "truncate ringfence.delivery_attempts");
        database.permitErasing(delete);
    }

    private static String outcome(long delivery, String state) {
        return set(
                delivery, "state = '" + state + "', finished_at = started_at, counted = " + !state.equals("RELEASED"));
    }

    private static String set(long delivery, String change) {
        return "update ringfence.delivery_attempts set " + change + " where delivery_id = " + delivery;
    }
}
