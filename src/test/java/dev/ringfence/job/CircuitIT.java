package dev.ringfence.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringfence.delivery.DeliveryCounters;
import dev.ringfence.delivery.DeliveryFixture;
import dev.ringfence.ordering.MovedKeys;
import dev.ringfence.receipt.Attempted;
import dev.ringfence.receipt.Outcomes;
import dev.ringfence.receipt.ReceiptRepository;
import dev.ringfence.receipt.Receipts;
import dev.ringfence.receipt.Settlement;
import dev.ringfence.reservation.ReservationOrder;
import dev.ringfence.reservation.ReservationRepository;
import dev.ringfence.reservation.Reservations;
import dev.ringfence.reservation.Reserved;
import dev.ringfence.reservation.Wanted;
import dev.ringfence.subscription.CircuitCounters;
import dev.ringfence.subscription.RealStreaks;
import dev.ringfence.subscription.RetryPolicy;
import dev.ringfence.subscription.Semantics;
import dev.ringfence.transport.OutcomeCode;
import dev.ringfence.transport.SendResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The circuit of a subscription's receiver against PostgreSQL: every move, and who may make it. */
class CircuitIT {
    private static final Instant NOW = Instant.now().truncatedTo(ChronoUnit.MICROS);
    private static final Duration MAX_AGE = Duration.ofHours(24);
    private static final SendResult BUSY = new SendResult.Uncertain(OutcomeCode.SERVER_ERROR, 503, null);
    private static final SendResult AWAY = new SendResult.NotSent(OutcomeCode.CONNECT_FAILED);
    private static final SendResult FINE = new SendResult.Acknowledged(200, null);
    private static final SendResult REFUSED = new SendResult.Failed(OutcomeCode.REFUSED, 400);
    private static final SendResult NOTHING_TO_SEND = new SendResult.Failed(OutcomeCode.MALFORMED_PAYLOAD, null);
    private static final SendResult LOST = new SendResult.Uncertain(OutcomeCode.FENCE_LOST, null, null);

    private static final CircuitCounters CIRCUITS = new CircuitCounters();
    private static final DeliveryCounters COUNTERS = new DeliveryCounters();
    private static DeliveryFixture fixture;
    private static Reservations reservations;
    private static Receipts receipts;
    private static CandidateRepository candidates;

    private long tenant;
    private UUID subscription;
    private Instant now;

    @BeforeAll
    static void open() {
        fixture = new DeliveryFixture();
        reservations = new Reservations(new ReservationRepository(fixture.transactions), COUNTERS);
        receipts = new Receipts(
                new ReceiptRepository(fixture.transactions),
                RealStreaks.over(fixture.transactions, CIRCUITS),
                new MovedKeys());
        candidates = new CandidateRepository(fixture.transactions);
    }

    @AfterAll
    static void close() {
        fixture.close();
    }

    @BeforeEach
    void subscribe() {
        tenant = fixture.tenant("tenant-" + UUID.randomUUID());
        subscription = fixture.subscription(tenant, "AT_LEAST_ONCE", 6);
        fixture.update(
                "update subscriptions set circuit_threshold = 3, circuit_pause_s = 10, circuit_max_pause_s = 25 where id = ?",
                subscription);
        now = NOW;
    }

    private List<Long> waiting(int count) {
        return fixture.deliveries(tenant, subscription, count, NOW.minusSeconds(1));
    }

    private List<Reserved> reserve(List<Long> ids) {
        List<Wanted> wanted = ids.stream()
                .map(id -> new Wanted(id, 6, Duration.ofSeconds(60), Duration.ofSeconds(2)))
                .toList();
        ReservationOrder order =
                new ReservationOrder("node-1", now, MAX_AGE, Duration.ofSeconds(3), Duration.ofMinutes(10), wanted);
        return fixture.transactions.inNew(() -> reservations.reserve(order));
    }

    private void settle(List<Reserved> all, SendResult... results) {
        List<Settlement> settlements = new ArrayList<>();
        for (int i = 0; i < results.length; i++) {
            Attempted attempted = new Attempted(
                    all.get(i),
                    new RetryPolicy(List.of(60, 300), 0, 6),
                    List.of(),
                    Semantics.AT_LEAST_ONCE,
                    6,
                    MAX_AGE);
            settlements.add(Outcomes.of(attempted, results[i], now, 0));
        }
        fixture.transactions.inNew(() -> receipts.settle(settlements, now));
    }

    private void settle(SendResult... results) {
        settle(reserve(waiting(results.length)), results);
    }

    /** State, failures in a row, openings, and seconds until it may be probed. */
    private String circuit() {
        return fixture.text(
                "select concat_ws(' ', circuit, circuit_failures, circuit_openings, extract(epoch from circuit_until - ?::timestamptz)::integer)"
                        + " from subscriptions where id = ?",
                now.toString(),
                subscription);
    }

    private void opened() {
        settle(BUSY, BUSY, BUSY);
        assertThat(circuit()).isEqualTo("OPEN 3 1 10");
    }

    private Reserved probe() {
        now = now.plusSeconds(3_600);
        fixture.update(
                "update subscriptions set circuit_until = ?::timestamptz where id = ?", now.toString(), subscription);
        List<Reserved> one = reserve(waiting(3));
        assertThat(one).hasSize(1);
        assertThat(one.get(0).probe()).isTrue();
        assertThat(circuit()).startsWith("HALF_OPEN 3");
        return one.get(0);
    }

    private List<Long> found() {
        return candidates
                .scan(new ScanOrder(
                        now,
                        now.minus(MAX_AGE),
                        new ScanPlace(tenant, new UUID(0, 0)),
                        List.of(),
                        50,
                        5,
                        NodeShare.ALL,
                        List.of(),
                        List.of(),
                        List.of()))
                .candidates()
                .stream()
                .map(Candidate::id)
                .toList();
    }

    @Test
    @Tag("SB-7")
    void opens_after_so_many_failures_in_a_row_and_an_answer_begins_anew() {
        settle(BUSY, AWAY);
        assertThat(circuit()).isEqualTo("CLOSED 2 0");
        settle(FINE);
        assertThat(circuit()).isEqualTo("CLOSED 0 0");
        settle(BUSY, BUSY, REFUSED, AWAY);
        assertThat(circuit()).as("a refusal is an answer").isEqualTo("CLOSED 1 0");
        settle(AWAY);
        settle(NOTHING_TO_SEND, LOST);
        assertThat(circuit()).as("neither the receiver's doing nor its answer").isEqualTo("CLOSED 2 0");
        settle(BUSY);
        assertThat(circuit()).isEqualTo("OPEN 3 1 10");
    }

    @Test
    @Tag("SB-7")
    @Tag("AT-1")
    void while_it_is_open_nothing_is_reserved_and_no_attempt_spent() {
        List<Long> ids = waiting(5);
        opened();

        assertThat(found()).isEmpty();
        assertThat(reserve(ids)).isEmpty();
        now = now.plusSeconds(9);
        assertThat(reserve(ids)).isEmpty();
        assertThat(ids)
                .allSatisfy(id -> assertThat(fixture.delivery(id, "state || ' ' || attempts"))
                        .isEqualTo("pending 0"));
        UUID other = fixture.subscription(tenant, "AT_LEAST_ONCE", 6);
        List<Long> others = fixture.deliveries(tenant, other, 2, NOW.minusSeconds(1));
        assertThat(reserve(others)).as("of the tenant's other subscription").hasSize(2);
    }

    @Test
    @Tag("SB-7")
    @Tag("AT-5")
    void what_expires_while_it_is_open_is_found_wherever_it_waits() {
        List<Long> old =
                fixture.deliveries(tenant, subscription, 1, NOW.minus(MAX_AGE).minusSeconds(5));
        long tried = fixture.deliveries(
                        tenant, subscription, 1, NOW.minus(MAX_AGE).minusSeconds(4))
                .get(0);
        fixture.update(
                "update deliveries set state = 'retrying', attempts = 1, cycle_attempts = 1, next_attempt_at = ?::timestamptz where id = ?",
                NOW.minusMillis(1).toString(),
                tried);
        fixture.deliveries(tenant, subscription, 20, NOW.minusSeconds(60));
        opened();

        assertThat(found()).as("at the head, and behind more than a scan takes").containsExactly(old.get(0), tried);
        fixture.update(
                "update subscriptions set circuit = 'CLOSED', circuit_until = null, status = 'PAUSED' where id = ?",
                subscription);
        assertThat(found()).as("of a paused one too").containsExactly(old.get(0), tried);
    }

    @Test
    @Tag("SB-7")
    @Tag("SB-3")
    void one_that_is_disabled_holds_nothing_back_from_failing() {
        List<Long> ids = waiting(3);
        opened();
        fixture.update("update subscriptions set status = 'DISABLED' where id = ?", subscription);
        assertThat(found()).containsAll(ids);
    }

    @Test
    @Tag("SB-7")
    void after_the_pause_one_row_is_found_and_one_probe_reserved() {
        List<Long> ids = waiting(5);
        opened();
        now = now.plusSeconds(10);

        assertThat(found()).containsExactly(ids.get(0));
        List<Reserved> reserved = reserve(ids);

        assertThat(reserved).hasSize(1);
        assertThat(circuit()).startsWith("HALF_OPEN 3 1");
        assertThat(found()).isEmpty();
        assertThat(reserve(ids)).as("one at a time").isEmpty();
        assertThat(fixture.database.number(
                        "select count(*) from delivery_attempts where state = 'SENDING' and tenant_id = " + tenant))
                .isEqualTo(1);
    }

    @Test
    @Tag("SB-7")
    @Tag("AD-6")
    void a_node_that_does_not_see_the_others_commit_yet_gets_no_probe() {
        List<Long> ids = waiting(6);
        opened();
        now = now.plusSeconds(10);
        fixture.transactions.inNew(() -> {
            assertThat(reserveHere(ids.subList(0, 3))).hasSize(1);
            assertThat(reserve(ids.subList(3, 6))).as("another node, meanwhile").isEmpty();
            return ids;
        });
        assertThat(reserve(ids.subList(3, 6))).as("and after the commit").isEmpty();
    }

    private List<Reserved> reserveHere(List<Long> ids) {
        List<Wanted> wanted = ids.stream()
                .map(id -> new Wanted(id, 6, Duration.ofSeconds(60), Duration.ofSeconds(2)))
                .toList();
        return reservations.reserve(
                new ReservationOrder("node-0", now, MAX_AGE, Duration.ofSeconds(3), Duration.ofMinutes(10), wanted));
    }

    @Test
    @Tag("SB-7")
    @Tag("AD-6")
    void of_nodes_that_want_the_probe_at_once_one_gets_it() throws Exception {
        opened();
        ExecutorService nodes = Executors.newFixedThreadPool(4);
        try {
            for (int round = 0; round < 15; round++) {
                Instant at = now;
                fixture.update(
                        "update subscriptions set circuit = 'OPEN', circuit_probe = null, circuit_until = ?::timestamptz where id = ?",
                        at.toString(),
                        subscription);
                CyclicBarrier together = new CyclicBarrier(4);
                List<Future<List<Reserved>>> tries = new ArrayList<>();
                for (int node = 0; node < 4; node++) {
                    List<Long> mine = waiting(2);
                    tries.add(nodes.submit(() -> {
                        together.await();
                        return reserve(mine);
                    }));
                }
                List<Reserved> all = new ArrayList<>();
                for (Future<List<Reserved>> one : tries) {
                    all.addAll(one.get());
                }
                assertThat(all).as("round " + round).hasSize(1);
                assertThat(fixture.text("select circuit_probe::text from subscriptions where id = ?", subscription))
                        .isEqualTo(all.get(0).reservationId().toString());
            }
        } finally {
            nodes.shutdownNow();
        }
    }

    @Test
    @Tag("SB-7")
    void a_probe_that_fails_opens_it_for_longer_up_to_a_bound() {
        opened();
        settle(List.of(probe()), BUSY);
        assertThat(circuit()).isEqualTo("OPEN 4 2 20");
        settle(List.of(probe2(4)), AWAY);
        assertThat(circuit()).isEqualTo("OPEN 5 3 25");
        settle(List.of(probe2(5)), AWAY);
        assertThat(circuit()).isEqualTo("OPEN 6 4 25");
        settle(List.of(probe2(6)), FINE);
        assertThat(circuit()).isEqualTo("CLOSED 0 0");
        settle(BUSY, BUSY, BUSY);
        assertThat(circuit()).as("the next time begins anew").isEqualTo("OPEN 3 1 10");
    }

    private Reserved probe2(int failures) {
        now = now.plusSeconds(3_600);
        fixture.update(
                "update subscriptions set circuit_until = ?::timestamptz where id = ?", now.toString(), subscription);
        List<Reserved> one = reserve(waiting(2));
        assertThat(one).hasSize(1);
        assertThat(circuit()).startsWith("HALF_OPEN " + failures);
        return one.get(0);
    }

    @Test
    @Tag("SB-7")
    void each_move_is_counted() {
        Map<String, Long> before = CIRCUITS.snapshot();
        long probed = COUNTERS.count("circuit.PROBED");
        opened();
        settle(List.of(probe()), BUSY);
        settle(List.of(probe2(4)), FINE);
        settle(FINE, BUSY);
        assertThat(CIRCUITS.snapshot().get("circuit.OPENED")).isEqualTo(before.get("circuit.OPENED") + 2);
        assertThat(CIRCUITS.snapshot().get("circuit.CLOSED")).isEqualTo(before.get("circuit.CLOSED") + 1);
        assertThat(COUNTERS.count("circuit.PROBED")).isEqualTo(probed + 2);
    }

    @Test
    @Tag("SB-7")
    void any_answer_to_the_probe_closes_it() {
        opened();
        settle(List.of(probe()), REFUSED);
        assertThat(circuit()).isEqualTo("CLOSED 0 0");
        assertThat(reserve(waiting(3))).hasSize(3);
    }

    @Test
    @Tag("SB-7")
    void what_was_under_way_when_it_opened_closes_it_by_an_answer_and_changes_nothing_by_failing() {
        List<Reserved> seven = reserve(waiting(7));
        settle(seven.subList(0, 3), BUSY, BUSY, BUSY);
        assertThat(circuit()).isEqualTo("OPEN 3 1 10");
        settle(seven.subList(3, 4), BUSY);
        assertThat(circuit()).isEqualTo("OPEN 4 1 10");
        now = now.plusSeconds(10);
        assertThat(reserve(waiting(1))).hasSize(1);
        settle(seven.subList(4, 6), AWAY, BUSY);
        assertThat(circuit()).as("the probe is still under way").startsWith("HALF_OPEN 6 1");
        settle(seven.subList(6, 7), FINE);
        assertThat(circuit()).isEqualTo("CLOSED 0 0");
    }

    @Test
    @Tag("SB-7")
    @Tag("AT-3")
    void a_probe_that_never_started_leaves_the_next_one_its_turn_at_once() {
        opened();
        Reserved probe = probe();
        fixture.transactions.inNew(() -> reservations.release(List.of(probe), now));
        assertThat(circuit()).isEqualTo("OPEN 3 1 0");
        assertThat(reserve(List.of(probe.deliveryId()))).hasSize(1);
    }

    @Test
    @Tag("SB-7")
    void a_probe_that_is_never_heard_of_is_given_up_when_its_lease_is_over() {
        opened();
        Reserved first = probe();
        assertThat(fixture.text(
                        "select (s.circuit_until >= d.lease_until)::text from subscriptions s, deliveries_live d where s.id = ? and d.id = ?",
                        subscription,
                        first.deliveryId()))
                .isEqualTo("true");
        fixture.update(
                "update subscriptions set circuit_until = ?::timestamptz where id = ?", now.toString(), subscription);
        List<Reserved> second = reserve(waiting(2));
        assertThat(second).hasSize(1);
        assertThat(circuit()).startsWith("HALF_OPEN 3 1");
        settle(second, FINE);
        assertThat(circuit()).isEqualTo("CLOSED 0 0");
        settle(List.of(first), BUSY);
        assertThat(circuit()).as("late").isEqualTo("CLOSED 1 0");
    }

    @Test
    @Tag("SB-7")
    void a_threshold_of_nothing_never_opens_it() {
        fixture.update("update subscriptions set circuit_threshold = 0 where id = ?", subscription);
        settle(BUSY, BUSY, BUSY, BUSY);
        assertThat(circuit()).isEqualTo("CLOSED 4 0");
    }

    @Test
    @Tag("SB-7")
    void the_database_refuses_a_circuit_that_no_state_machine_has() {
        assertThatThrownBy(() -> fixture.update(
                        "update subscriptions set circuit = 'HALF_OPEN', circuit_until = now(), circuit_probe = gen_random_uuid() where id = ?",
                        subscription))
                .hasStackTraceContaining("a circuit is open before it is half open");
        for (String wrong : List.of(
                "circuit = 'OPEN'",
                "circuit_until = now()",
                "circuit_probe = gen_random_uuid()",
                "circuit = 'OPEN', circuit_until = now(), circuit_probe = gen_random_uuid()")) {
            assertThatThrownBy(
                            () -> fixture.update("update subscriptions set " + wrong + " where id = ?", subscription))
                    .as(wrong)
                    .hasStackTraceContaining("subscriptions_circuit");
        }
    }

    /** What a scan reads of an open subscription is a handful of rows, whatever waits. */
    @Test
    @Tag("SB-7")
    void the_scan_does_not_read_the_backlog_of_an_open_circuit() throws SQLException {
        fixture.deliveries(tenant, subscription, 3_000, NOW.minusSeconds(60));
        fixture.update(
                "update deliveries set state = 'retrying', attempts = 1, cycle_attempts = 1 where subscription_id = ? and id % 2 = 0",
                subscription);
        opened();
        try (Connection connection = fixture.database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("analyze deliveries_live");
            String scan = CandidateRepository.SCAN;
            for (String value : List.of(
                    Long.toString(tenant),
                    "'00000000-0000-0000-0000-000000000000'",
                    "'{}'",
                    at(now),
                    "'{}'",
                    "'{}'",
                    "'{}'",
                    "'{}'",
                    "100",
                    "1",
                    at(now.minus(MAX_AGE)),
                    at(now),
                    "1",
                    "0",
                    at(now),
                    "'{}'",
                    at(now.minus(MAX_AGE)),
                    "1",
                    "0",
                    "'{}'",
                    "100",
                    "300")) {
                scan = scan.replaceFirst("[?]", value);
            }
            long rows = 0;
            StringBuilder plan = new StringBuilder();
            try (var lines = statement.executeQuery("explain (analyze, costs off, timing off, summary off) " + scan)) {
                while (lines.next()) {
                    String line = lines.getString(1);
                    plan.append(line).append('\n');
                    if (line.contains("on deliveries_live d") && line.contains("actual rows=")) {
                        rows = Math.max(rows, Long.parseLong(line.replaceFirst(".*actual rows=([0-9]+).*", "$1")));
                    }
                    if (line.contains("Rows Removed")) {
                        rows = Math.max(rows, Long.parseLong(line.replaceFirst(".*: *([0-9]+).*", "$1")));
                    }
                }
            }
            assertThat(rows).as(plan.toString()).isLessThanOrEqualTo(100);
            assertThat(plan.toString()).contains("deliveries_live_retrying");
        }
    }

    private static String at(Instant instant) {
        return "'" + instant + "'";
    }
}
