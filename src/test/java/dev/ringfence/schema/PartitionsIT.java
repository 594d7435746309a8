package dev.ringfence.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.harness.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionsIT {
    private static final Instant LAST_DAYS_OF_2026 = Instant.parse("2026-12-31T23:59:59.999999Z");

    private final TestDatabase database = TestDatabase.empty();

    @BeforeEach
    void migrate() {
        new ChangeLog(database.dataSource(), Duration.ofSeconds(30)).update();
    }

    @AfterEach
    void drop() {
        database.close();
    }

    @Test
    void the_week_before_and_the_weeks_ahead_are_made_once() throws Exception {
        assertThat(ensure(1)).isEqualTo(9);
        assertThat(ensure(1)).isZero();

        assertThat(weeks("outbox_events"))
                .containsExactly(
                        "outbox_events_2026w52 FOR VALUES FROM ('2026-12-21 00:00:00+00') TO ('2026-12-28 00:00:00+00')",
                        "outbox_events_2026w53 FOR VALUES FROM ('2026-12-28 00:00:00+00') TO ('2027-01-04 00:00:00+00')",
                        "outbox_events_2027w01 FOR VALUES FROM ('2027-01-04 00:00:00+00') TO ('2027-01-11 00:00:00+00')");
        assertThat(weeks("deliveries_finished")).hasSize(3);
        assertThat(weeks("delivery_attempts")).hasSize(3);

        assertThat(ensure(2)).isEqualTo(3);
    }

    /** A server that was built without LZ4 goes on with PostgreSQL's own method. */
    @Test
    void new_weeks_compress_what_is_sent_as_the_server_can_best() throws Exception {
        ensure(0);
        boolean lz4 = database.number("select count(*) from pg_settings where name = 'default_toast_compression'"
                        + " and 'lz4' = any (enumvals)")
                == 1;

        assertThat(
                        database.text(
                                "select string_agg(distinct attname || '=' || attcompression::text, ' ' order by attname || '=' || attcompression::text)"
                                        + " from pg_attribute where attname in ('payload', 'payload_bytes', 'metadata') and attrelid in"
                                        + " (select inhrelid from pg_inherits where inhparent = 'ringfence.outbox_events'::regclass)"))
                .isEqualTo(lz4 ? "metadata= payload=l payload_bytes=l" : "metadata= payload= payload_bytes=");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Pacific/Kiritimati", "America/Los_Angeles", "Europe/Berlin"})
    void weeks_are_those_of_utc_whatever_the_sessions_zone(String zone) throws Exception {
        database.execute(
                "alter role " + database.user() + " in database " + database.name() + " set timezone = '" + zone
                        + "'; alter role " + database.user() + " in database " + database.name()
                        + " set datestyle = 'SQL, DMY'");

        ensure(0);

        database.execute("alter role " + database.user() + " in database " + database.name() + " reset all");
        assertThat(weeks("outbox_events")).element(1).asString().contains("'2026-12-28 00:00:00+00'");
    }

    @Test
    void nodes_that_start_together_do_not_disturb_each_other() throws Exception {
        try (var pool = new Nodes(8)) {
            List<Integer> made = pool.all(() -> ensure(8));

            assertThat(made.stream().mapToInt(Integer::intValue).sum()).isEqualTo(30);
        }
    }

    @Test
    void nodes_that_start_together_on_an_empty_database_migrate_it_once() throws Exception {
        try (TestDatabase empty = TestDatabase.empty();
                var pool = new Nodes(3)) {
            pool.all(() -> {
                new ChangeLog(empty.dataSource(), Duration.ofSeconds(60)).update();
                return 0;
            });

            assertThat(empty.number("select count(*) from ringfence.databasechangelog"))
                    .isEqualTo(empty.number("select count(distinct (id, author)) from ringfence.databasechangelog"))
                    .isPositive();
        }
    }

    @Test
    void a_partition_is_made_while_a_transaction_reads_and_writes_the_table() throws Exception {
        ensure(0);
        try (Connection busy = database.connect();
                var statement = busy.createStatement()) {
            busy.setAutoCommit(false);
            statement
                    .executeQuery("select count(*) from ringfence.outbox_events, ringfence.deliveries")
                    .close();
            statement.execute("update ringfence.deliveries set attempts = attempts where false");

            assertThat(ensure(1)).isEqualTo(3);

            busy.rollback();
        }
    }

    @Test
    void a_senseless_range_is_refused() {
        Refusals refusals = new Refusals(database);
        refusals.refuse("RF052", "select ringfence.ensure_partitions(null, 1)");
        refusals.refuse("RF052", "select ringfence.ensure_partitions('infinity', 1)");
        refusals.refuse("RF052", "select ringfence.ensure_partitions('2026-01-01', 0)");
        refusals.refuse("RF052", "select ringfence.ensure_partitions('2026-01-01', 105)");
    }

    @Test
    void no_row_falls_into_a_partition_for_the_rest() {
        assertThat(database.number("select count(*) from pg_partitioned_table where partdefid <> 0"))
                .isZero();
    }

    private int ensure(int weeksAhead) {
        return PartitionsRepository.ensure(database.dataSource(), LAST_DAYS_OF_2026, weeksAhead);
    }

    private List<String> weeks(String parent) throws Exception {
        try (Connection connection = database.connect();
                var statement = connection.createStatement();
                var rows = statement.executeQuery("select c.relname || ' ' || pg_get_expr(c.relpartbound, c.oid)"
                        + " from pg_inherits i join pg_class c on c.oid = i.inhrelid"
                        + " where i.inhparent = 'ringfence." + parent + "'::regclass order by c.relname")) {
            List<String> names = new ArrayList<>();
            while (rows.next()) {
                names.add(rows.getString(1));
            }
            return names;
        }
    }

    /** So many nodes that do the same at once. */
    private static final class Nodes implements AutoCloseable {
        private final int count;
        private final java.util.concurrent.ExecutorService threads;

        Nodes(int count) {
            this.count = count;
            this.threads = Executors.newFixedThreadPool(count);
        }

        <T> List<T> all(Callable<T> action) throws Exception {
            List<Callable<T>> actions = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                actions.add(action);
            }
            List<T> results = new ArrayList<>();
            for (Future<T> done : threads.invokeAll(actions)) {
                results.add(done.get());
            }
            return results;
        }

        @Override
        public void close() {
            threads.shutdownNow();
        }
    }
}
