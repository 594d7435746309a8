package dev.ringfence.recording;

import static dev.ringfence.recording.RecordingFixture.APP;
import static dev.ringfence.recording.RecordingFixture.EPOCH;
import static dev.ringfence.recording.RecordingFixture.SHOP;
import static dev.ringfence.recording.RecordingFixture.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.ApiProblem;
import dev.ringfence.json.StrictJson;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.util.PSQLException;

/** The numbers of an ordering key: given with the recording's own transaction, without gaps, in the order of the commits (OB-5). */
@Tag("OB-5")
@Timeout(300)
class OrderingKeyIT {
    private RecordingFixture shop;

    @BeforeEach
    void open() {
        shop = new RecordingFixture();
    }

    @AfterEach
    void drop() {
        shop.close();
    }

    private static String keyed(String id, String key, String more) {
        return event(id, "{\"n\":1}", "\"orderingKey\":\"" + key + "\"," + more);
    }

    private static String once(String occurrence, String key) {
        return keyed("o", key, "\"occurrenceKey\":\"" + occurrence + "\",");
    }

    private void sql(Connection connection, String event) throws SQLException {
        try (var statement = connection.prepareStatement(
                "select * from ringfence.record_event(?, ?, ?, clock_timestamp() - interval '1 ms', '1 second', ?::jsonb)")) {
            statement.setObject(1, APP);
            statement.setString(2, SHOP.tenant());
            statement.setObject(3, EPOCH);
            statement.setString(4, event);
            statement.execute();
        }
    }

    private void sql(String event) throws SQLException {
        try (Connection connection = shop.database.connect()) {
            sql(connection, event);
        }
    }

    /** Key, number and aggregate of all events in the order of their ordinals. */
    private List<String> numbers() throws SQLException {
        List<String> numbers = new ArrayList<>();
        try (Connection connection = shop.database.connect();
                ResultSet rows = connection.createStatement().executeQuery("""
                        select ordering_key, order_sequence, aggregate_id, payload_bytes, payload_sha256 = sha256(payload_bytes)
                          from outbox_events order by ordinal""")) {
            while (rows.next()) {
                JsonNode envelope = StrictJson.parse(rows.getBytes(4));
                assertThat(rows.getBoolean(5)).as("hash of the bytes").isTrue();
                assertThat(envelope.path("orderingKey").textValue()).isEqualTo(rows.getString(1));
                assertThat(envelope.has("orderingSequence")).isEqualTo(rows.getString(1) != null);
                assertThat(envelope.path("orderingSequence").asText())
                        .isEqualTo(rows.getString(2) == null ? "" : rows.getString(2));
                numbers.add(rows.getString(1) + ":" + rows.getString(2) + "=" + rows.getString(3));
            }
        }
        return numbers;
    }

    @Test
    void events_of_a_key_are_numbered_in_their_order_and_others_have_no_number() throws SQLException {
        shop.record(keyed("a", "k1", ""), keyed("b", "k2", ""), event("c", "{}", ""), keyed("d", "k1", ""));
        sql(keyed("e", "k1", ""));
        shop.record(event("f", "{}", ""));
        shop.record(keyed("g", "k\\u00e9\\\"", ""));
        shop.operate("op-1", "h", 0, "{}", keyed("h", "k2", ""));

        assertThat(numbers())
                .containsExactly(
                        "k1:1=a", "k2:1=b", "null:null=c", "k1:2=d", "k1:3=e", "null:null=f", "ké\":1=g", "k2:2=h");
    }

    /** Numbers are not only taken with the recording, they are given back with it too. */
    @Test
    void what_was_recorded_before_or_is_rolled_back_takes_no_number() throws SQLException {
        shop.record(once("1", "k"));
        shop.record(once("1", "k"), once("2", "k"), once("2", "k"));
        sql(once("2", "k"));
        sql(once("3", "k"));
        assertThatThrownBy(() -> shop.record(once("4", "k"), keyed("other", "k", "\"occurrenceKey\":\"3\",")))
                .isInstanceOfSatisfying(
                        ApiProblem.class, problem -> assertThat(problem.code()).isEqualTo("OCCURRENCE_KEY_REUSED"));
        try (Connection connection = shop.database.connect()) {
            connection.setAutoCommit(false);
            sql(connection, once("5", "k"));
            connection.rollback();
        }
        shop.check(once("6", "k"));
        shop.record(once("7", "k"));

        assertThat(numbers()).containsExactly("k:1=o", "k:2=o", "k:3=o", "k:4=o");
    }

    @Test
    void whoever_waits_too_long_for_a_key_is_refused_and_may_come_again() throws SQLException {
        RecordingFixture hasty = shop;
        try (Connection connection = hasty.database.connect()) {
            connection.setAutoCommit(false);
            sql(connection, keyed("a", "k", ""));
            assertThat(catchThrowableOfType(PSQLException.class, () -> sql(keyed("b", "k", "")))
                            .getSQLState())
                    .isEqualTo("55P03");
            connection.rollback();
        }
        sql(keyed("c", "k", ""));
        assertThat(numbers()).containsExactly("k:1=c");
    }

    /**
     * Recorders of both kinds at the same keys, batches with the keys in any order, some rolled back. A reader that sees a number sees all
     * before it, at any moment: it looks again and again, in one snapshot each.
     */
    @Test
    void concurrent_recorders_leave_no_gap_and_commit_in_the_order_of_the_numbers() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(7);
        List<Future<?>> recorders = new ArrayList<>();
        for (int t = 0; t < 6; t++) {
            Random random = new Random(t);
            int thread = t;
            recorders.add(threads.submit((Callable<Void>) () -> {
                for (int i = 0; i < 40; i++) {
                    if (thread < 3) {
                        shop.record(
                                keyed("o", "k" + random.nextInt(3), ""),
                                keyed("o", "k" + random.nextInt(3), ""),
                                keyed("o", "k" + random.nextInt(3), ""));
                    } else {
                        try (Connection connection = shop.database.connect()) {
                            connection.setAutoCommit(false);
                            sql(connection, keyed("o", "k" + random.nextInt(3), ""));
                            if (random.nextInt(4) == 0) {
                                connection.rollback();
                            } else {
                                connection.commit();
                            }
                        }
                    }
                }
                return null;
            }));
        }
        Future<Integer> reader = threads.submit(() -> {
            int looks = 0;
            do {
                looks++;
                assertThat(gaps()).as("gaps in a snapshot").isZero();
            } while (!recorders.stream().allMatch(Future::isDone));
            return looks;
        });
        for (Future<?> recorder : recorders) {
            recorder.get();
        }
        assertThat(reader.get()).isPositive();
        threads.shutdown();
        assertThat(gaps()).isZero();
        assertThat(shop.database.number("select count(*) from ringfence.outbox_events"))
                .isGreaterThan(360);
        assertThat(shop.database.number("select sum(last_sequence) from ringfence.ordering_keys"))
                .isEqualTo(shop.database.number("select count(*) from ringfence.outbox_events"));
    }

    private long gaps() {
        return shop.database.number("""
                select count(*) from (
                  select 1 from ringfence.outbox_events group by ordering_key
                  having max(order_sequence) <> count(*) or count(distinct order_sequence) <> count(*)) broken""");
    }
}
