package dev.ringfence.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.ringfence.delivery.DeliveryFixture;
import dev.ringfence.harness.Explained;
import dev.ringfence.harness.KeptSession;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The due scan against PostgreSQL. */
class CandidateIT {
    private static final Instant NOW = Instant.now().truncatedTo(ChronoUnit.MICROS);
    private static final Instant DUE = NOW.minusSeconds(10);

    private DeliveryFixture fixture;
    private CandidateRepository repository;

    @BeforeEach
    void open() {
        fixture = new DeliveryFixture();
        repository = new CandidateRepository(fixture.transactions);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private UUID subscription(long tenant) {
        return fixture.subscription(tenant, "AT_LEAST_ONCE", 6);
    }

    private Scan scan(ScanPlace after, int limit, int perPair) {
        return scan(after, limit, perPair, NodeShare.ALL, List.of(), List.of(), List.of());
    }

    private Scan scan(
            ScanPlace after,
            int limit,
            int perPair,
            NodeShare share,
            List<Long> held,
            List<Long> cool,
            List<ScanOrder.Load> loads) {
        return repository.scan(new ScanOrder(
                NOW, NOW.minus(Duration.ofHours(24)), after, List.of(), limit, perPair, share, held, cool, loads));
    }

    private Scan goOn(List<ScanHead> known, int limit, int perPair) {
        return repository.scan(new ScanOrder(
                NOW,
                NOW.minus(Duration.ofHours(24)),
                ScanPlace.START,
                known,
                limit,
                perPair,
                NodeShare.ALL,
                List.of(),
                List.of(),
                List.of()));
    }

    private static List<ScanHead> rest(Scan scan) {
        return scan.visits().stream()
                .map(visit -> visit.rest(ScanHead.before(visit.pair())))
                .filter(Objects::nonNull)
                .toList();
    }

    private static List<Long> ids(Scan scan) {
        return scan.candidates().stream().map(Candidate::id).toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 400})
    @Tag("AT-1")
    void a_plan_kept_from_an_empty_table_reads_no_more_than_is_taken(int pages) {
        try (KeptSession session = new KeptSession(fixture.database, pages)) {
            repository = new CandidateRepository(session);
            long tenant = fixture.tenant("one");
            UUID subscription = subscription(tenant);
            List<ScanHead> nobody = List.of(ScanHead.before(new ScanPlace(tenant, subscription)));
            session.count(() -> scan(ScanPlace.START, 100, 5));
            session.count(() -> goOn(nobody, 100, 5));
            List<Long> due = fixture.deliveries(tenant, subscription, 2_000, DUE);

            KeptSession.Counted<Scan> first = session.count(() -> scan(ScanPlace.START, 100, 5));
            KeptSession.Counted<Scan> next = session.count(() -> goOn(rest(first.result()), 100, 5));

            assertThat(ids(first.result())).isEqualTo(due.subList(0, 5));
            assertThat(ids(next.result())).isEqualTo(due.subList(5, 10));
            assertThat(List.of(first.read(), next.read()))
                    .allSatisfy(rows -> assertThat(rows).isBetween(5L, 50L));
        }
    }

    /** All that one fan-out made is due in the same microsecond. */
    @Test
    @Tag("AT-1")
    void of_thousands_that_are_due_at_the_same_moment_no_more_is_read_than_is_taken() {
        long tenant = fixture.tenant("one");
        List<Long> due = fixture.deliveries(tenant, subscription(tenant), 2_000, DUE);
        fixture.database.execute("analyze");
        List<ScanHead> hundred = rest(scan(ScanPlace.START, 100, 100));
        Explained explained = new Explained(fixture.transactions);
        repository = new CandidateRepository(explained);

        assertThat(ids(fixture.transactions.inNew(() -> scan(ScanPlace.START, 100, 5))))
                .isEqualTo(due.subList(0, 5));
        assertThat(ids(fixture.transactions.inNew(() -> goOn(hundred, 100, 5)))).isEqualTo(due.subList(100, 105));
        explained.assertEachStepStaysBelow(10, 2);
    }

    @Test
    @Tag("AT-1")
    void a_tenant_with_thousands_due_does_not_hide_those_with_one() {
        long big = fixture.tenant("big");
        fixture.deliveries(big, subscription(big), 2_000, DUE);
        Set<Long> small = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            long tenant = fixture.tenant("small-" + i);
            small.addAll(fixture.deliveries(tenant, subscription(tenant), 1, DUE.plusSeconds(5)));
        }

        Scan scan = scan(ScanPlace.START, 300, 100);

        assertThat(ids(scan)).hasSize(120).containsAll(small);
        assertThat(scan.wrapped()).isTrue();
    }

    /** The scan's own text, planned as the server plans it after some executions: without the values. */
    @Test
    @Tag("AT-1")
    void planned_without_its_values_the_scan_still_finds_what_is_due_by_index() throws SQLException {
        fixture.database.execute("""
                insert into ringfence.deliveries (id, tenant_id, app_id, epoch, subscription_id, event_ordinal,
                    event_recorded_at, event_id, message_id, mode, state, protocol, cycle_started_at, next_attempt_at,
                    created_at, updated_at)
                select n, n % 20, u, u, u, n, at, 'evt_' || n, 'msg_' || n, 'PUSH', 'pending', 1, at,
                    at + (n - 200) * interval '1 minute', at, at
                  from generate_series(1, 50000) as n,
                    (select clock_timestamp() as at, '00000000-0000-0000-0000-000000000001'::uuid as u) as fresh;
                analyze ringfence.deliveries_live""");
        String plan;
        String goesOn;
        try (Connection connection = fixture.database.connect();
                Statement statement = connection.createStatement()) {
            prepare(statement, "scan", CandidateRepository.SCAN);
            prepare(statement, "go_on", CandidateRepository.GO_ON);
            statement.execute("set plan_cache_mode = force_generic_plan");
            plan = plan(
                    statement,
                    "scan",
                    "0, '00000000-0000-0000-0000-000000000000', '{}', now(), '{}', '{}', '{}', '{}', 100, 1, now(), now(), 1, 0, now(), '{}', now(), 1, 0, '{}', 100, 300");
            goesOn = plan(
                    statement,
                    "go_on",
                    "'{0}', '{00000000-0000-0000-0000-000000000000}', '{-infinity}', '{0}', '{}', now(), '{}', '{}', '{}', '{}', 100, 1, now(), now(), 1, 0, now(), '{}', now(), 1, 0, '{}', 100, 300");
        }
        assertThat(List.of(plan, goesOn))
                .allSatisfy(one ->
                        assertThat(one).contains("deliveries_live_due").doesNotContain("Seq Scan on deliveries_live"));
    }

    private static void prepare(Statement statement, String name, String text) throws SQLException {
        AtomicInteger parameter = new AtomicInteger();
        statement.execute("prepare " + name + " as "
                + Pattern.compile("[?]").matcher(text).replaceAll(any -> "\\$" + parameter.incrementAndGet()));
    }

    private static String plan(Statement statement, String name, String arguments) throws SQLException {
        StringBuilder plan = new StringBuilder();
        try (var rows = statement.executeQuery("explain (costs off) execute " + name + " (" + arguments + ")")) {
            while (rows.next()) {
                plan.append(rows.getString(1)).append('\n');
            }
        }
        return plan.toString();
    }

    @Test
    void the_scan_goes_on_where_it_ended_and_visits_everybody() {
        Set<Long> all = new HashSet<>();
        for (int i = 0; i < 12; i++) {
            long tenant = fixture.tenant("t-" + i);
            all.addAll(fixture.deliveries(tenant, subscription(tenant), 2, DUE));
        }
        List<Long> found = new ArrayList<>();
        Scan scan = scan(ScanPlace.START, 5, 2);
        while (true) {
            found.addAll(ids(scan));
            if (scan.wrapped()) {
                break;
            }
            scan = scan(scan.last(ScanPlace.START), 5, 2);
        }
        // A pair that the limit cut keeps its second row for the next round.
        assertThat(found).hasSizeGreaterThanOrEqualTo(18).doesNotHaveDuplicates();
        assertThat(all).containsAll(found);
    }

    /** What was read is not read again, though nothing has been reserved yet; what is due at the same moment is not passed over. */
    @Test
    @Tag("AT-1")
    void a_look_that_goes_on_begins_behind_what_was_read_and_passes_nothing_over() {
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            long tenant = fixture.tenant("t-" + i);
            all.addAll(fixture.deliveries(tenant, subscription(tenant), 7, DUE));
        }
        List<Long> found = new ArrayList<>();
        Scan scan = scan(ScanPlace.START, 300, 3);
        found.addAll(ids(scan));
        assertThat(rest(scan)).as("pairs that have more").hasSize(3);
        Scan cut = goOn(rest(scan), 5, 3);
        found.addAll(ids(cut));
        assertThat(ids(cut)).hasSize(5);
        assertThat(cut.visits()).as("visited").hasSize(2);
        List<ScanHead> left = new ArrayList<>(rest(cut));
        left.addAll(rest(scan).subList(2, 3));
        Scan last = goOn(left, 300, 9);
        found.addAll(ids(last));

        assertThat(found).containsExactlyInAnyOrderElementsOf(all);
        assertThat(last.wrapped()).isTrue();
        assertThat(rest(last)).as("pairs that have more at last").isEmpty();
    }

    /** An event's deliveries have ids in a row: of two subscriptions one would be all one node's. */
    @Test
    @Tag("AD-6")
    void every_node_has_a_part_of_every_subscription_whatever_the_order_of_the_ids() {
        long tenant = fixture.tenant("t");
        List<UUID> subscriptions = List.of(subscription(tenant), subscription(tenant));
        for (int i = 0; i < 40; i++) {
            fixture.deliveries(tenant, subscriptions.get(i % 2), 1, DUE);
        }
        for (int rank = 0; rank < 2; rank++) {
            assertThat(scan(ScanPlace.START, 50, 50, new NodeShare(2, rank), List.of(), List.of(), List.of())
                            .candidates())
                    .extracting(Candidate::subscriptionId)
                    .containsAll(subscriptions);
        }
    }

    /** A pair that is held or has a rate is looked at from its beginning each time. */
    @Test
    @Tag("SB-7")
    void only_where_all_that_is_due_is_of_interest_a_look_goes_on() {
        long tenant = fixture.tenant("t");
        UUID subscription = subscription(tenant);
        fixture.deliveries(tenant, subscription, 9, DUE);
        assertThat(rest(scan(ScanPlace.START, 50, 3))).hasSize(1);
        fixture.update("update subscriptions set per_second = 10 where id = ?", subscription);
        assertThat(rest(scan(ScanPlace.START, 50, 3))).isEmpty();
    }

    /** No slot is free now, but may be at once. */
    @Test
    void a_pair_without_a_free_slot_keeps_its_place() {
        long tenant = fixture.tenant("t");
        UUID subscription = subscription(tenant);
        fixture.deliveries(tenant, subscription, 9, DUE);
        List<ScanOrder.Load> loads = List.of(new ScanOrder.Load(subscription, 50, 50, null));
        ScanHead place = new ScanHead(new ScanPlace(tenant, subscription), DUE, 7);

        Scan full = scan(ScanPlace.START, 50, 3, NodeShare.ALL, List.of(), List.of(), loads);

        assertThat(full.candidates()).isEmpty();
        assertThat(full.visits())
                .singleElement()
                .satisfies(visit -> assertThat(visit.rest(place)).isEqualTo(place));
    }

    @Test
    void slots_held_rows_cool_tenants_and_other_nodes_shares_are_left_out() {
        long tenant = fixture.tenant("t");
        UUID subscription = subscription(tenant);
        List<Long> ids = fixture.deliveries(tenant, subscription, 10, DUE);

        assertThat(ids(scan(ScanPlace.START, 50, 50, NodeShare.ALL, ids.subList(0, 4), List.of(), List.of())))
                .containsExactlyInAnyOrderElementsOf(ids.subList(4, 10));
        assertThat(ids(scan(ScanPlace.START, 50, 50, NodeShare.ALL, List.of(), List.of(tenant), List.of())))
                .isEmpty();
        List<ScanOrder.Load> loads = List.of(new ScanOrder.Load(subscription, 3, 5, null));
        assertThat(ids(scan(ScanPlace.START, 50, 50, NodeShare.ALL, List.of(), List.of(), loads)))
                .hasSize(2);
        List<Long> shares = new ArrayList<>();
        for (int rank = 0; rank < 3; rank++) {
            shares.addAll(ids(scan(ScanPlace.START, 50, 50, new NodeShare(3, rank), List.of(), List.of(), List.of())));
        }
        assertThat(shares).containsExactlyInAnyOrderElementsOf(ids);
    }

    @Test
    @Tag("SB-7")
    void nodes_share_the_slots_of_a_subscription_and_each_has_one() {
        long tenant = fixture.tenant("t");
        UUID subscription = fixture.subscription(tenant, "AT_LEAST_ONCE", 6, "http://127.0.0.1:9/hook", 7);
        fixture.deliveries(tenant, subscription, 40, DUE);

        assertThat(ids(scan(ScanPlace.START, 50, 50))).hasSize(7);
        for (int rank = 0; rank < 3; rank++) {
            assertThat(ids(scan(ScanPlace.START, 50, 50, new NodeShare(3, rank), List.of(), List.of(), List.of())))
                    .hasSize(2);
        }
        assertThat(ids(scan(ScanPlace.START, 50, 50, new NodeShare(9, 1), List.of(), List.of(), List.of())))
                .hasSize(1);
        List<ScanOrder.Load> loads = List.of(new ScanOrder.Load(subscription, 2, 50, null));
        assertThat(ids(scan(ScanPlace.START, 50, 50, new NodeShare(3, 0), List.of(), List.of(), loads)))
                .isEmpty();
    }

    @Test
    @Tag("SB-3")
    void of_a_paused_subscription_only_what_expired_is_found() {
        long tenant = fixture.tenant("t");
        UUID subscription = subscription(tenant);
        fixture.deliveries(tenant, subscription, 1, DUE);
        List<Long> old = fixture.deliveries(tenant, subscription, 1, NOW.minus(Duration.ofHours(25)));
        fixture.update("update subscriptions set status = 'PAUSED' where id = ?", subscription);

        assertThat(ids(scan(ScanPlace.START, 50, 50))).isEqualTo(old);
    }

    @Test
    @Tag("SB-7")
    void of_a_subscription_with_a_rate_so_many_are_found_as_may_begin_and_all_that_end() {
        long tenant = fixture.tenant("t");
        UUID subscription = subscription(tenant);
        List<Long> old = fixture.deliveries(tenant, subscription, 4, NOW.minus(Duration.ofHours(25)));
        List<Long> due = fixture.deliveries(tenant, subscription, 9, DUE);
        fixture.update("update subscriptions set per_second = 10 where id = ?", subscription);
        List<ScanOrder.Load> loads = List.of(new ScanOrder.Load(subscription, 1, 50, 2));

        List<Candidate> first = scan(ScanPlace.START, 50, 50, NodeShare.ALL, List.of(), List.of(), loads)
                .candidates();
        assertThat(first).extracting(Candidate::id).containsExactlyInAnyOrderElementsOf(old);
        assertThat(first).allMatch(Candidate::ends);
        List<Candidate> second = scan(ScanPlace.START, 50, 50, NodeShare.ALL, old, List.of(), loads)
                .candidates();
        assertThat(second).extracting(Candidate::id).isEqualTo(due.subList(0, 2));
        assertThat(second).noneMatch(Candidate::ends);

        fixture.update("update subscriptions set status = 'DISABLED' where id = ?", subscription);
        assertThat(scan(ScanPlace.START, 50, 50, NodeShare.ALL, old, List.of(), loads)
                        .candidates())
                .hasSize(9)
                .allMatch(Candidate::ends);
    }

    @Test
    void what_is_redacted_stale_unknown_or_under_way_is_left_alone() {
        long tenant = fixture.tenant("t");
        List<Long> ids = fixture.deliveries(tenant, subscription(tenant), 1, DUE);
        assertThat(ids(scan(ScanPlace.START, 50, 50))).isEqualTo(ids);

        fixture.update("update tenant_lifecycle set phase = 'REDACTED'");
        assertThat(ids(scan(ScanPlace.START, 50, 50))).isEmpty();
        fixture.update("update tenant_lifecycle set phase = 'ACTIVE', epoch = ?", UUID.randomUUID());
        assertThat(ids(scan(ScanPlace.START, 50, 50))).isEmpty();
        fixture.update("update tenant_lifecycle set epoch = ?", fixture.epoch);
        fixture.update("update deliveries set reservation_id = gen_random_uuid(), lease_until = now()");
        assertThat(ids(scan(ScanPlace.START, 50, 50))).isEmpty();
    }

    @Test
    @Tag("SB-5")
    void a_lost_subscription_and_a_disabled_app_are_reported_with_the_candidate() {
        long tenant = fixture.tenant("t");
        UUID subscription = subscription(tenant);
        fixture.deliveries(tenant, subscription, 1, DUE);
        fixture.update("delete from subscriptions where id = ?", subscription);
        fixture.update("update apps set enabled = false");

        Candidate candidate = scan(ScanPlace.START, 50, 50).candidates().get(0);

        assertThat(candidate.subscriptionVersion()).isNull();
        assertThat(candidate.appEnabled()).isFalse();
        assertThat(candidate.eventName()).isEqualTo("order.order.placed.v1");
    }

    /** Deliveries of before the copy was kept have none: their event tells. */
    @Test
    void the_events_name_and_the_bodys_size_are_the_deliverys_copy_where_it_has_one() {
        long tenant = fixture.tenant("t");
        fixture.deliveries(tenant, subscription(tenant), 1, DUE);
        fixture.update(
                "insert into deliveries (id, tenant_id, app_id, epoch, subscription_id, event_ordinal, event_recorded_at, event_id,"
                        + " message_id, mode, state, url, protocol, cycle_started_at, next_attempt_at, created_at, updated_at, event_name, octets)"
                        + " select nextval('ordinals'), tenant_id, app_id, epoch, subscription_id, event_ordinal, event_recorded_at, event_id,"
                        + " 'msg_copied', mode, state, url, protocol, cycle_started_at, next_attempt_at, created_at, updated_at,"
                        + " 'order.order.copied.v1', 1234 from deliveries");

        assertThat(scan(ScanPlace.START, 50, 50).candidates())
                .extracting(Candidate::eventName, Candidate::bytes)
                .containsExactlyInAnyOrder(
                        tuple(
                                "order.order.placed.v1",
                                Integer.parseInt(fixture.text("select octet_length(payload_bytes)"
                                        + " from outbox_events order by ordinal limit 1"))),
                        tuple("order.order.copied.v1", 1234));
    }

    /** It fails at once, so that no slot is needed for it. */
    @Test
    @Tag("SB-5")
    void of_a_lost_subscription_a_scan_finds_as_many_as_it_takes_of_any_other() {
        long tenant = fixture.tenant("t");
        UUID subscription = subscription(tenant);
        List<Long> due = fixture.deliveries(tenant, subscription, 50, DUE);
        fixture.update("delete from subscriptions where id = ?", subscription);

        assertThat(ids(scan(ScanPlace.START, 100, 100))).containsExactlyInAnyOrderElementsOf(due);
        assertThat(ids(scan(ScanPlace.START, 100, 20))).hasSize(20);
    }
}
