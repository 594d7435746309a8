package dev.ringfence.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringfence.config.Settings;
import dev.ringfence.delivery.DeliveryFixture;
import dev.ringfence.delivery.WaitingRepository;
import dev.ringfence.ordering.MovedKeys;
import dev.ringfence.subscription.RealStreaks;
import dev.ringfence.subscription.RecipientRepository;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The steps of a replay against PostgreSQL: what they take, and what a node that dies or another that helps does to them. */
class ReplayIT {
    private static final Instant NOW = Instant.now().truncatedTo(ChronoUnit.MICROS);
    private static final Instant CREATED = NOW.minus(Duration.ofHours(1));

    private static final int MOST_WAITING = 500;

    private static DeliveryFixture fixture;

    private long tenant;
    private UUID subscription;
    private JobSteps steps;
    private JobRepository jobs;

    @BeforeAll
    static void open() {
        fixture = new DeliveryFixture();
    }

    @AfterAll
    static void close() {
        fixture.close();
    }

    @BeforeEach
    void prepare() {
        tenant = fixture.tenant("tenant-" + UUID.randomUUID());
        subscription = fixture.subscription(tenant, "AT_LEAST_ONCE", 6);
        jobs = new JobRepository(fixture.transactions);
        steps = node();
    }

    private JobSteps node() {
        JobSteps node = new JobSteps();
        node.jobs = jobs;
        node.deliveries = new NewCycleRepository(fixture.transactions);
        node.keys = new MovedKeys();
        node.subscriptions = new RecipientRepository(fixture.transactions);
        node.waiting = new WaitingRepository(fixture.transactions);
        node.settings = Settings.from(Map.of(
                "ringfence.secrets.key",
                Base64.getEncoder().encodeToString(new byte[32]),
                "ringfence.recording.max-waiting",
                Integer.toString(MOST_WAITING)));
        node.lifecycles = RealStreaks.lifecycles(fixture.transactions);
        node.clock = Clock.fixed(NOW, ZoneOffset.UTC);
        return node;
    }

    private List<Long> ended(int count, String state) {
        List<Long> ids = fixture.deliveries(tenant, subscription, count, CREATED);
        fixture.update(
                "update deliveries set state = ?, last_code = 'REFUSED', last_status = 400, attempts = 1, cycle_attempts = 1,"
                        + " next_attempt_at = null, finished_at = now(),"
                        + " accepted_at = case when ? = 'delivered' then now() end where id = any (?)",
                state,
                state,
                ids.toArray(new Long[0]));
        return ids;
    }

    private UUID order(List<String> states) {
        return order(states, CREATED.minusSeconds(1), NOW);
    }

    private UUID order(List<String> states, Instant from, Instant to) {
        UUID id = UUID.randomUUID();
        ReplayOrder order = new ReplayOrder(from, to, states, "a reason");
        fixture.transactions.inNew(() -> {
            jobs.insertReplay(id, fixture.app, subscription, fixture.epoch, order, to, NOW);
            return id;
        });
        return id;
    }

    private void step(UUID job) {
        look(job)
                .ifPresent(outlook -> fixture.transactions.inNew(() -> {
                    steps.step(outlook);
                    return job;
                }));
    }

    private Optional<Outlook> look(UUID job) {
        return fixture.transactions.inNew(() -> steps.look(job));
    }

    private void runToEnd(UUID job) {
        while (job(job).finishedAt() == null) {
            step(job);
        }
    }

    private Job job(UUID id) {
        return jobs.find(fixture.app, id).orElseThrow();
    }

    private String told(UUID id) {
        Job job = job(id);
        return job.status() + (job.code() == null ? "" : " " + job.code()) + " " + job.done() + "/" + job.total();
    }

    private List<Integer> cycles(List<Long> ids) {
        List<Integer> cycles = new ArrayList<>();
        ids.forEach(id -> cycles.add(Integer.parseInt(fixture.delivery(id, "cycle"))));
        return cycles;
    }

    @Test
    @Tag("DL-4")
    void jobs_that_are_over_go_after_a_month_and_no_others() {
        UUID old = order(List.of("dead"));
        UUID recent = order(List.of("dead"));
        UUID open = order(List.of("dead"));
        fixture.update(
                "update jobs set status = 'DONE', created_at = ?::timestamptz, finished_at = ?::timestamptz where id = ?",
                NOW.minus(Duration.ofDays(60)).toString(),
                NOW.minus(JobSteps.KEPT).minusSeconds(1).toString(),
                old);
        fixture.update(
                "update jobs set status = 'FAILED', code = 'REDACTED', created_at = ?::timestamptz, finished_at = ?::timestamptz where id = ?",
                NOW.minus(Duration.ofDays(60)).toString(),
                NOW.minus(JobSteps.KEPT).plusSeconds(1).toString(),
                recent);
        fixture.update(
                "update jobs set created_at = ?::timestamptz where id = ?",
                NOW.minus(Duration.ofDays(60)).toString(),
                open);

        assertThat(fixture.transactions.inNew(steps::purge))
                .as("more may be left")
                .isFalse();

        assertThat(jobs.find(fixture.app, old)).isEmpty();
        assertThat(jobs.find(fixture.app, recent)).isPresent();
        assertThat(jobs.find(fixture.app, open)).isPresent();
        assertThatThrownBy(() -> fixture.update("delete from jobs where id = ?", open))
                .hasStackTraceContaining("a job is kept until it is over");
    }

    @Test
    @Tag("RD-1")
    void a_job_tells_nothing_of_a_tenant_and_so_stops_no_redaction() {
        order(List.of("dead"));
        assertThat(fixture.text("select string_agg(t, ',') from tenant_tables_left(?) t", tenant))
                .isEqualTo("subscriptions");
    }

    @Test
    @Tag("DL-4")
    @Tag("DL-3")
    void takes_the_states_of_the_window_resets_the_error_and_keeps_the_history() {
        List<Long> dead = ended(2, "dead");
        List<Long> failed = ended(1, "failed");
        List<Long> delivered = ended(1, "delivered");
        UUID job = order(List.of("dead", "delivered"));
        String accepted = fixture.delivery(delivered.get(0), "accepted_at");

        runToEnd(job);

        assertThat(told(job)).isEqualTo("DONE 3/3");
        for (long id : List.of(dead.get(0), dead.get(1), delivered.get(0))) {
            assertThat(
                            fixture.delivery(
                                    id,
                                    "concat_ws(' ', state, cycle, cycle_attempts, coalesce(last_code, 'none'), last_status, finished_at is null)"))
                    .isEqualTo("pending 2 0 none t");
        }
        assertThat(fixture.delivery(delivered.get(0), "accepted_at")).isEqualTo(accepted);
        assertThat(fixture.delivery(failed.get(0), "state")).isEqualTo("failed");
    }

    @Test
    @Tag("DL-4")
    void leaves_alone_what_is_outside_the_window_in_flight_discarded_or_without_bytes() {
        List<Long> outside = ended(1, "dead");
        UUID nothing = order(List.of("dead"), CREATED.minusSeconds(9), CREATED);
        runToEnd(nothing);
        assertThat(told(nothing)).as("the window's end is exclusive").isEqualTo("DONE 0/0");
        fixture.update("update deliveries set discarded = true where id = ?", outside.get(0));

        List<Long> bare = ended(1, "dead");
        fixture.database.execute(
                "begin; select set_config('ringfence.erasure', 'on', true); delete from ringfence.outbox_events where ordinal ="
                        + " (select event_ordinal from ringfence.deliveries where id = " + bare.get(0) + "); commit");
        List<Long> flying = fixture.deliveries(tenant, subscription, 1, CREATED);
        fixture.update(
                "update deliveries set state = 'retrying', reservation_id = gen_random_uuid(), lease_until = now() + interval '1 hour'"
                        + " where id = ?",
                flying.get(0));
        List<Long> waiting = fixture.deliveries(tenant, subscription, 1, CREATED);
        List<Long> bodiless = ended(1, "dead");
        fixture.update("update deliveries set last_code = 'BODY_TOO_LARGE' where id = ?", bodiless.get(0));
        List<Long> good = ended(1, "dead");

        UUID job = order(List.of("dead", "retrying"));
        runToEnd(job);

        assertThat(told(job)).isEqualTo("DONE 1/5");
        assertThat(cycles(List.of(outside.get(0), bare.get(0), flying.get(0), waiting.get(0), bodiless.get(0))))
                .containsOnly(1);
        assertThat(cycles(good)).containsOnly(2);
    }

    @Test
    @Tag("DL-4")
    void a_step_that_dies_is_as_if_it_had_never_been_and_any_node_goes_on() {
        List<Long> ids = ended(JobSteps.CHUNK + 50, "dead");
        UUID job = order(List.of("dead"));
        step(job);
        assertThat(told(job)).isEqualTo("RUNNING " + JobSteps.CHUNK + "/" + ids.size());

        Outlook outlook = look(job).orElseThrow();
        assertThatThrownBy(() -> fixture.transactions.inNew(() -> {
                    steps.step(outlook);
                    throw new IllegalStateException("killed before the commit");
                }))
                .hasMessageContaining("killed");
        assertThat(told(job)).isEqualTo("RUNNING " + JobSteps.CHUNK + "/" + ids.size());

        steps = node();
        leaveQueue(ids);
        runToEnd(job);
        assertThat(told(job)).isEqualTo("DONE " + ids.size() + "/" + ids.size());
        assertThat(cycles(ids)).as("each once").containsOnly(2);
        step(job);
        assertThat(cycles(ids)).as("a job that is over does nothing").containsOnly(2);
    }

    /** As if what was replayed had been sent. */
    private void leaveQueue(List<Long> ids) {
        fixture.update(
                "update deliveries set state = 'failed', next_attempt_at = null, finished_at = now() where state = 'pending' and id = any (?)",
                (Object) ids.toArray(new Long[0]));
    }

    @Test
    @Tag("DL-4")
    @Tag("RC-10")
    void waits_while_half_of_what_may_wait_for_the_tenant_does_and_says_so() {
        UUID other = fixture.subscription(tenant, "AT_LEAST_ONCE", 6);
        fixture.deliveries(tenant, other, MOST_WAITING / 2 - JobSteps.CHUNK, CREATED);
        List<Long> ids = ended(JobSteps.CHUNK + 50, "dead");
        UUID job = order(List.of("dead"));
        step(job);
        assertThat(told(job)).isEqualTo("RUNNING " + JobSteps.CHUNK + "/" + ids.size());

        step(job);
        assertThat(told(job)).isEqualTo("RUNNING QUEUE_FULL " + JobSteps.CHUNK + "/" + ids.size());
        assertThat(fixture.text("select (next_at > ?::timestamptz)::text from jobs where id = ?", NOW.toString(), job))
                .as("its turn comes later")
                .isEqualTo("true");
        leaveQueue(ids);
        step(job);
        assertThat(told(job)).isEqualTo("DONE " + ids.size() + "/" + ids.size());
    }

    @Test
    @Tag("DL-4")
    @Tag("RC-10")
    void does_not_wait_for_what_nobody_sends() {
        fixture.update("update subscriptions set mode = 'PULL' where id = ?", subscription);
        UUID other = fixture.subscription(tenant, "AT_LEAST_ONCE", 6);
        fixture.deliveries(tenant, other, MOST_WAITING / 2, CREATED);
        ended(2, "failed");
        UUID job = order(List.of("failed"));
        step(job);
        assertThat(told(job)).isEqualTo("DONE 2/2");
    }

    @Test
    @Tag("DL-4")
    @Tag("PL-2")
    void reads_its_window_before_it_is_in_the_way_of_any_feed() {
        ended(2, "dead");
        UUID job = order(List.of("dead"));
        Outlook outlook = fixture.transactions.inNew(() -> {
            Outlook found = steps.look(job).orElseThrow();
            try (var connection = fixture.transactions.jta().getConnection();
                    var statement = connection.createStatement();
                    var row = statement.executeQuery("select pg_current_xact_id_if_assigned()")) {
                row.next();
                assertThat(row.getString(1)).as("a transaction id").isNull();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
            return found;
        });
        List<Long> later = ended(1, "dead");

        fixture.transactions.inNew(() -> {
            steps.step(outlook);
            return job;
        });

        assertThat(told(job)).as("as it was then").isEqualTo("DONE 2/2");
        assertThat(cycles(later)).containsOnly(1);
    }

    @Test
    @Tag("DL-4")
    void a_step_that_was_prepared_before_another_one_does_nothing() {
        List<Long> ids = ended(JobSteps.CHUNK + 50, "dead");
        UUID job = order(List.of("dead"));
        Outlook late = look(job).orElseThrow();
        step(job);
        leaveQueue(ids);
        fixture.transactions.inNew(() -> {
            steps.step(late);
            return job;
        });
        assertThat(told(job)).isEqualTo("RUNNING " + JobSteps.CHUNK + "/" + ids.size());
    }

    @Test
    @Tag("DL-4")
    void two_nodes_never_take_the_same_step() {
        ended(3, "dead");
        UUID job = order(List.of("dead"));
        fixture.transactions.inNew(() -> {
            Optional<Replay> mine = jobs.lock(job);
            assertThat(mine).isPresent();
            fixture.transactions.inNew(() -> {
                assertThat(jobs.lock(job)).as("another node's turn").isEmpty();
                return job;
            });
            return job;
        });
    }

    @Test
    @Tag("DL-4")
    @Tag("FN-1")
    void the_fence_of_a_redaction_puts_it_off_and_a_new_epoch_ends_it() throws Exception {
        List<Long> ids = ended(2, "dead");
        UUID job = order(List.of("dead"));
        try (var redaction = fixture.database.connect();
                var lock = redaction.prepareStatement(
                        "select pg_advisory_lock(fence_key) from tenant_lifecycle where tenant_id = ?")) {
            lock.setLong(1, tenant);
            lock.execute();
            step(job);
            assertThat(told(job)).isEqualTo("QUEUED 0/0");
        }
        fixture.update("update tenant_lifecycle set epoch = gen_random_uuid() where tenant_id = ?", tenant);
        runToEnd(job);
        assertThat(told(job)).isEqualTo("FAILED REDACTED 0/0");
        assertThat(cycles(ids)).containsOnly(1);
    }

    @Test
    @Tag("DL-4")
    @Tag("SB-5")
    void ends_where_the_subscription_is_disabled_or_gone() {
        ended(1, "dead");
        UUID disabled = order(List.of("dead"));
        fixture.update("update subscriptions set status = 'DISABLED' where id = ?", subscription);
        runToEnd(disabled);
        assertThat(told(disabled)).isEqualTo("FAILED SUBSCRIPTION_DISABLED 0/0");
        UUID gone = order(List.of("dead"));
        fixture.update("delete from subscriptions where id = ?", subscription);
        runToEnd(gone);
        assertThat(told(gone)).isEqualTo("FAILED SUBSCRIPTION_GONE 0/0");
    }

    @Test
    @Tag("DL-4")
    void steps_that_keep_failing_end_it() {
        UUID job = order(List.of("dead"));
        for (int i = 0; i < JobSteps.MOST_FAILURES; i++) {
            assertThat(job(job).finishedAt()).isNull();
            fixture.transactions.inNew(() -> {
                steps.failed(job);
                return job;
            });
        }
        assertThat(told(job)).isEqualTo("FAILED STORAGE_FAILED 0/0");
    }
}
