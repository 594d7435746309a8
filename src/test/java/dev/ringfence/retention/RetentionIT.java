package dev.ringfence.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringfence.config.Settings;
import dev.ringfence.delivery.DeliveryCounters;
import dev.ringfence.delivery.DeliveryFixture;
import dev.ringfence.time.SteerableNanoClock;
import java.sql.Connection;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which weeks go, and which stay, in a real PostgreSQL. Weeks are counted back from the present one. */
class RetentionIT {
    private static final int OLDEST = 8;
    private static final List<String> TABLES = List.of("outbox_events", "deliveries_finished", "delivery_attempts");

    private DeliveryFixture fixture;
    private OldWeeks old;
    private RetentionRepository weeks;

    @BeforeEach
    void open() {
        fixture = new DeliveryFixture();
        old = new OldWeeks(fixture, OLDEST);
        weeks = new RetentionRepository(fixture.transactions);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private List<String> dropDeliveries(int weeksAgo) {
        List<String> dropped = new ArrayList<>();
        WeekDrop came = weeks.dropDeliveries(OldWeeks.since(weeksAgo));
        for (; came instanceof WeekDrop.Dropped week; came = weeks.dropDeliveries(OldWeeks.since(weeksAgo))) {
            dropped.add(week.week());
        }
        dropped.addAll(((WeekDrop.Nothing) came).kept());
        return dropped;
    }

    private List<String> dropEvents(int weeksAgo) {
        List<String> dropped = new ArrayList<>();
        WeekDrop came = weeks.dropEvents(OldWeeks.since(weeksAgo));
        for (; came instanceof WeekDrop.Dropped week; came = weeks.dropEvents(OldWeeks.since(weeksAgo))) {
            dropped.add(week.week());
        }
        dropped.addAll(((WeekDrop.Nothing) came).kept());
        return dropped;
    }

    @Test
    @Tag("RT-1")
    void a_week_in_which_all_is_over_goes_and_the_keys_stay() {
        for (String state : List.of("delivered", "dead", "failed")) {
            old.inWeek(8, state, "PUSH");
        }
        old.event(OldWeeks.monday(8), "DEAD_LETTERED", OldWeeks.monday(8));
        old.event(OldWeeks.monday(8), "DISCARDED", OldWeeks.monday(8));
        old.inWeek(6, "delivered", "PUSH");

        assertThat(dropDeliveries(6)).containsExactly(OldWeeks.name(8), OldWeeks.name(7));
        assertThat(dropEvents(6)).containsExactly(OldWeeks.name(8), OldWeeks.name(7));

        for (String table : TABLES) {
            assertThat(old.has(table, 8)).as(table).isFalse();
            assertThat(old.has(table, 7)).as(table).isFalse();
            assertThat(old.has(table, 6)).as(table).isTrue();
        }
        assertThat(fixture.database.number("select count(*) from ringfence.deliveries"))
                .isEqualTo(1);
        assertThat(fixture.database.number("select count(*) from ringfence.delivery_keys"))
                .as("so that no event is ever delivered anew")
                .isEqualTo(4);
        assertThat(fixture.database.number("select count(*) from ringfence.event_keys"))
                .isEqualTo(6);
    }

    @ParameterizedTest
    @Tag("RT-1")
    @CsvSource({"pending, PUSH", "retrying, PUSH", "pending, PULL"})
    void a_week_stays_while_something_of_it_is_live_and_keeps_no_other(String state, String mode) {
        old.inWeek(8, state, mode);
        old.inWeek(8, "delivered", "PUSH");
        old.inWeek(7, "delivered", "PUSH");

        assertThat(dropDeliveries(6)).containsExactly(OldWeeks.name(7), OldWeeks.name(8) + " LIVE_DELIVERIES");
        assertThat(dropEvents(6)).containsExactly(OldWeeks.name(7), OldWeeks.name(8) + " KEPT_DELIVERIES");

        assertThat(old.has("delivery_attempts", 8)).isTrue();
    }

    @Test
    @Tag("RT-1")
    @Tag("OB-5")
    void a_week_stays_while_a_dead_delivery_of_it_holds_its_key() {
        old.block();
        long dead = old.inWeek(8, "dead", "PUSH");

        assertThat(dropDeliveries(7)).containsExactly(OldWeeks.name(8) + " BLOCKED_KEYS");

        fixture.update("update deliveries set discarded = true where id = ?", dead);
        assertThat(dropDeliveries(7)).containsExactly(OldWeeks.name(8));
    }

    @ParameterizedTest
    @Tag("RT-1")
    @ValueSource(strings = {"PENDING", "CLAIMED", "FAILED_RETRYABLE"})
    void events_stay_while_one_of_their_week_is_not_over(String status) {
        old.event(OldWeeks.monday(8), status, OldWeeks.monday(8));

        assertThat(dropDeliveries(7)).containsExactly(OldWeeks.name(8));
        assertThat(dropEvents(6)).containsExactly(OldWeeks.name(7), OldWeeks.name(8) + " OPEN_EVENTS");
    }

    @Test
    @Tag("RT-1")
    void events_stay_while_a_delivery_of_theirs_does_that_was_made_in_a_later_week() {
        Instant published = OldWeeks.monday(5).minusMillis(1);
        old.event(OldWeeks.monday(8), "PUBLISHED", OldWeeks.monday(8));
        long event = old.event(OldWeeks.monday(7).minusMillis(1), "PUBLISHED", published);
        old.delivery(event, published, "dead", "PUSH");

        assertThat(dropDeliveries(6)).containsExactly(OldWeeks.name(8), OldWeeks.name(7));
        assertThat(dropEvents(6)).containsExactly(OldWeeks.name(7), OldWeeks.name(8) + " KEPT_DELIVERIES");

        assertThat(dropDeliveries(5)).containsExactly(OldWeeks.name(6));
        assertThat(dropEvents(7)).containsExactly(OldWeeks.name(8));
    }

    @ParameterizedTest
    @Tag("RT-1")
    @ValueSource(
            strings = {
                "select count(*) from deliveries",
                "select count(*) from delivery_attempts",
                "update deliveries set state = 'pending', cycle = cycle + 1, cycle_attempts = 0 where state = 'dead'",
                "select pg_advisory_xact_lock(1380535879, 1)"
            })
    void whoever_holds_the_week_wins(String sql) throws Exception {
        long dead = old.inWeek(8, "dead", "PUSH");
        try (Connection busy = fixture.database.connect();
                var statement = busy.createStatement()) {
            busy.setAutoCommit(false);
            statement.execute(sql);

            assertThat(weeks.dropDeliveries(OldWeeks.since(7))).isEqualTo(new WeekDrop.Busy());

            assertThat(old.has("deliveries_finished", 8)).isTrue();
            busy.commit();
        }
        boolean retried = fixture.delivery(dead, "state").equals("pending");
        assertThat(dropDeliveries(7)).containsExactly(OldWeeks.name(8) + (retried ? " LIVE_DELIVERIES" : ""));
    }

    @Test
    @Tag("RT-1")
    void whoever_holds_the_events_wins() throws Exception {
        old.event(OldWeeks.monday(8), "PUBLISHED", OldWeeks.monday(8));
        dropDeliveries(7);
        try (Connection busy = fixture.database.connect();
                var statement = busy.createStatement()) {
            busy.setAutoCommit(false);
            statement.execute("select count(*) from outbox_events");

            assertThat(weeks.dropEvents(OldWeeks.since(7))).isEqualTo(new WeekDrop.Busy());

            busy.rollback();
        }
        assertThat(dropEvents(7)).containsExactly(OldWeeks.name(8));
    }

    @ParameterizedTest
    @Tag("RT-1")
    @ValueSource(
            strings = {
                "update deliveries set state = 'pending', cycle = cycle + 1, cycle_attempts = 0 where state = 'dead'",
                "insert into order_blocks (subscription_id, order_key, delivery_id, order_sequence, tenant_id, created_at)"
                        + " select subscription_id, order_key, id, order_sequence, tenant_id, now() from deliveries where state = 'dead'"
            })
    void what_came_to_need_the_week_between_look_and_lock_keeps_it(String sql) throws Exception {
        old.inWeek(8, "dead", "PUSH");

        assertThat(committedWhileWaitedFor(sql, () -> weeks.dropDeliveries(OldWeeks.since(7))))
                .isEqualTo(new WeekDrop.Busy());

        assertThat(old.has("deliveries_finished", 8)).isTrue();
    }

    @ParameterizedTest
    @Tag("RT-1")
    @ValueSource(
            strings = {
                "",
                "; update outbox_events set status = 'CLAIMED', locked_by = 'n', locked_until = now()"
                        + "; update outbox_events set status = 'PUBLISHED', published_at = now(), locked_by = null"
            })
    void an_event_that_is_published_after_all_keeps_its_week(String then) throws Exception {
        old.event(OldWeeks.monday(8), "DEAD_LETTERED", OldWeeks.monday(8));
        String again = "update outbox_events set status = 'PENDING' where status = 'DEAD_LETTERED'" + then;

        assertThat(committedWhileWaitedFor(again, () -> weeks.dropEvents(OldWeeks.since(7))))
                .isEqualTo(new WeekDrop.Busy());

        assertThat(old.has("outbox_events", 8)).isTrue();
    }

    /** Another transaction has done that, and commits as soon as the drop waits for it. */
    private WeekDrop committedWhileWaitedFor(String sql, Callable<WeekDrop> drop) throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (Connection other = fixture.database.connect();
                Connection watch = fixture.database.connect();
                var statement = other.createStatement();
                var waiting = watch.prepareStatement("select from pg_locks where not granted")) {
            other.setAutoCommit(false);
            statement.execute(sql);
            Future<WeekDrop> dropping = thread.submit(drop);
            boolean seen = false;
            while (!seen && !dropping.isDone()) {
                try (var rows = waiting.executeQuery()) {
                    seen = rows.next();
                }
            }
            other.commit();
            return dropping.get();
        } finally {
            thread.shutdownNow();
        }
    }

    @Test
    @Tag("RT-1")
    void what_ended_lately_is_kept_as_long_as_others_after_their_end() {
        old.inWeek(8, "dead", "PUSH");
        old.inWeek(7, "delivered", "PUSH");
        fixture.update("update deliveries set finished_at = now() where state = 'dead'");

        assertThat(dropDeliveries(6)).containsExactly(OldWeeks.name(7), OldWeeks.name(8) + " FINISHED_LATELY");

        fixture.update("update deliveries set finished_at = created_at where state = 'dead'");
        assertThat(dropDeliveries(6)).containsExactly(OldWeeks.name(8));
    }

    @Test
    @Tag("OP-1")
    @Tag("RT-1")
    void each_week_that_goes_leaves_an_entry_in_the_audit_log() {
        assertThat(dropDeliveries(7)).containsExactly(OldWeeks.name(8));
        assertThat(dropEvents(7)).containsExactly(OldWeeks.name(8));

        assertThat(fixture.text(
                        "select string_agg(concat_ws(' ', actor, target, detail ->> 'dropped'), ', ' order by id) from audit_log"
                                + " where action = 'retention.drop' and detail ->> 'horizon' is not null"))
                .isEqualTo("retention " + OldWeeks.name(8) + " deliveries and attempts, retention " + OldWeeks.name(8)
                        + " events");
    }

    @ParameterizedTest
    @Tag("RT-1")
    @ValueSource(strings = {"drop_deliveries_week", "drop_events_week"})
    void a_snapshot_of_before_the_locks_decides_nothing(String function) throws Exception {
        try (Connection session = fixture.database.connect();
                var statement = session.createStatement()) {
            session.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            assertThatThrownBy(() -> statement.execute("select ringfence." + function + "(now() - interval '49 days')"))
                    .hasFieldOrPropertyWithValue("SQLState", "RF087");
        }
        assertThat(old.has("outbox_events", 8) && old.has("deliveries_finished", 8))
                .isTrue();
    }

    @ParameterizedTest
    @Tag("RT-1")
    @ValueSource(strings = {"drop_deliveries_week", "drop_events_week"})
    void the_present_week_and_the_last_stay_whatever_is_asked(String function) {
        for (String horizon :
                List.of("null", "'infinity'", "'-infinity'", "now()", "date_trunc('week', now(), 'UTC')")) {
            assertThatThrownBy(() -> fixture.text("select dropped from ringfence." + function + "(" + horizon + ")"))
                    .as(horizon)
                    .rootCause()
                    .hasFieldOrPropertyWithValue("SQLState", "RF053");
        }
        Instant youngest = OldWeeks.monday(0).minusMillis(1);
        String dropped;
        do {
            dropped = fixture.text(
                    "select dropped from ringfence." + function + "(?)", youngest.atOffset(ZoneOffset.UTC));
        } while (dropped != null);

        String table = function.equals("drop_events_week") ? "outbox_events" : "deliveries_finished";
        assertThat(old.has(table, 2)).isFalse();
        assertThat(old.has(table, 1)).isTrue();
        assertThat(old.has(table, 0)).isTrue();
    }

    @Test
    @Tag("RT-1")
    void statements_that_were_prepared_before_a_week_went_go_on() throws Exception {
        old.inWeek(8, "delivered", "PUSH");
        old.inWeek(6, "delivered", "PUSH");
        try (Connection session = fixture.database.connect();
                var setup = session.createStatement()) {
            setup.execute("set plan_cache_mode = force_generic_plan");
            setup.execute(
                    "prepare listed as select count(*) from deliveries d left join outbox_events e"
                            + " on e.ordinal = d.event_ordinal and e.recorded_at = d.event_recorded_at where d.created_at < now()");
            setup.execute("prepare changed as update deliveries d set updated_at = now()"
                    + " from delivery_attempts a where a.delivery_id = d.id and d.created_at >= $1");
            setup.execute("prepare moved as update outbox_events set updated_at = now() where recorded_at >= $1");
            assertThat(used(setup)).containsExactly(2, 2, 2);

            assertThat(dropDeliveries(6)).hasSize(2);
            assertThat(dropEvents(6)).hasSize(2);

            assertThat(used(setup)).containsExactly(1, 1, 1);
        }
    }

    private static List<Integer> used(java.sql.Statement session) throws Exception {
        List<Integer> counts = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            counts.clear();
            try (var rows = session.executeQuery("execute listed")) {
                rows.next();
                counts.add(rows.getInt(1));
            }
            counts.add(session.executeUpdate("execute changed ('-infinity')"));
            counts.add(session.executeUpdate("execute moved ('-infinity')"));
        }
        return counts;
    }

    @Test
    @Tag("RT-1")
    void a_run_takes_both_by_their_settings_and_comes_again_in_an_hour_or_sooner_where_it_was_disturbed()
            throws Exception {
        for (int week : List.of(8, 6, 4)) {
            old.inWeek(week, "delivered", "PUSH");
        }
        Settings settings = Settings.from(Map.of(
                "ringfence.secrets.key",
                Base64.getEncoder().encodeToString(new byte[32]),
                "ringfence.retention.finished",
                "P28D",
                "ringfence.retention.events",
                "P42D"));
        DeliveryCounters counters = new DeliveryCounters();
        SteerableNanoClock nanos = new SteerableNanoClock();
        Retention retention = new Retention(weeks, counters, settings, nanos);
        try (Connection busy = fixture.database.connect();
                var statement = busy.createStatement()) {
            busy.setAutoCommit(false);
            statement.execute("select count(*) from deliveries");
            retention.look();
            busy.rollback();
        }
        assertThat(counters.snapshot()).containsExactly(Map.entry("retention.BUSY", 1L));

        retention.look();
        assertThat(old.has("deliveries_finished", 8)).as("not yet").isTrue();
        nanos.advance(Retention.SHORT_PAUSE);
        retention.look();

        assertThat(counters.count("retention.DROPPED")).isEqualTo(4 + 2);
        assertThat(old.has("deliveries_finished", 5)).isFalse();
        assertThat(old.has("deliveries_finished", 4)).isTrue();
        assertThat(old.has("outbox_events", 7)).isFalse();
        assertThat(old.has("outbox_events", 6)).isTrue();

        fixture.text(
                "select ringfence.ensure_partitions(?, 1)::text",
                OldWeeks.monday(8).atOffset(ZoneOffset.UTC));
        nanos.advance(Retention.SHORT_PAUSE);
        retention.look();
        assertThat(old.has("deliveries_finished", 8))
                .as("a run that was through rests")
                .isTrue();
        nanos.advance(Retention.PAUSE);
        retention.look();
        assertThat(old.has("deliveries_finished", 8)).isFalse();
    }
}
