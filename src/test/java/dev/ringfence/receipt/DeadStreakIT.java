package dev.ringfence.receipt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.config.Settings;
import dev.ringfence.delivery.DeliveryCounters;
import dev.ringfence.delivery.DeliveryFixture;
import dev.ringfence.delivery.DeliveryState;
import dev.ringfence.ordering.MovedKeys;
import dev.ringfence.reservation.ReservationOrder;
import dev.ringfence.reservation.ReservationRepository;
import dev.ringfence.reservation.Reservations;
import dev.ringfence.reservation.Reserved;
import dev.ringfence.reservation.Wanted;
import dev.ringfence.subscription.RealStreaks;
import dev.ringfence.subscription.RetryPolicy;
import dev.ringfence.subscription.Semantics;
import dev.ringfence.transport.OutcomeCode;
import dev.ringfence.transport.SendResult;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Deliveries that die in a row, and what becomes of their subscription, against PostgreSQL. */
class DeadStreakIT {
    private static final Instant NOW = Instant.now().truncatedTo(ChronoUnit.MICROS);
    private static final Duration MAX_AGE = Duration.ofHours(24);
    private static final SendResult REFUSED = new SendResult.Failed(OutcomeCode.REFUSED, 400);
    private static final SendResult GONE = new SendResult.Failed(OutcomeCode.GONE, 410);
    private static final SendResult FINE = new SendResult.Acknowledged(200, null);
    private static final SendResult BUSY = new SendResult.Uncertain(OutcomeCode.SERVER_ERROR, 503, null);

    private static DeliveryFixture fixture;
    private static Reservations reservations;
    private static Receipts receipts;

    private long tenant;
    private UUID subscription;

    @BeforeAll
    static void open() {
        fixture = new DeliveryFixture();
        reservations = new Reservations(new ReservationRepository(fixture.transactions), new DeliveryCounters());
        receipts = new Receipts(
                new ReceiptRepository(fixture.transactions), RealStreaks.over(fixture.transactions), new MovedKeys());
    }

    @AfterAll
    static void close() {
        fixture.close();
    }

    @BeforeEach
    void subscribe() {
        tenant = fixture.tenant("tenant-" + UUID.randomUUID());
        subscription = fixture.subscription(tenant, "AT_LEAST_ONCE", 6);
        fixture.update("update subscriptions set dead_threshold = 3 where id = ?", subscription);
    }

    private List<Reserved> reserved(int count) {
        return reserve(fixture.deliveries(tenant, subscription, count, NOW.minusSeconds(1)));
    }

    private static List<Reserved> reserve(List<Long> ids) {
        List<Wanted> wanted = ids.stream()
                .map(id -> new Wanted(id, 6, Duration.ofSeconds(60), Duration.ofSeconds(2)))
                .toList();
        ReservationOrder order =
                new ReservationOrder("node-1", NOW, MAX_AGE, Duration.ofSeconds(3), Duration.ofMinutes(10), wanted);
        return fixture.transactions.inNew(() -> reservations.reserve(order));
    }

    /** Settles all at once, in this order. */
    private void settle(List<Reserved> all, SendResult... results) {
        List<Settlement> settlements = new ArrayList<>();
        RetryPolicy policy = new RetryPolicy(List.of(60, 300), 0, 6);
        for (int i = 0; i < results.length; i++) {
            int most = all.get(i).test() ? 1 : 6;
            Attempted attempted = new Attempted(all.get(i), policy, List.of(), Semantics.AT_LEAST_ONCE, most, MAX_AGE);
            settlements.add(Outcomes.of(attempted, results[i], NOW, 0));
        }
        fixture.transactions.inNew(() -> receipts.settle(settlements, NOW));
    }

    private void settle(SendResult... results) {
        settle(reserved(results.length), results);
    }

    private String row() {
        return fixture.text(
                "select concat_ws(' ', status, disabled_reason, consecutive_dead) from subscriptions where id = ?",
                subscription);
    }

    private long disabledEvents() {
        return fixture.database.number("select count(*) from ringfence.outbox_events where tenant_id = " + tenant
                + " and event_name = 'ringfence.subscription.disabled.v1'");
    }

    @Test
    @Tag("SB-6")
    void the_threshold_disables_once_with_an_event_and_an_audit_entry() {
        settle(REFUSED, REFUSED);
        assertThat(row()).isEqualTo("ACTIVE 2");
        settle(BUSY);
        assertThat(row()).as("what may be tried again is not dead").isEqualTo("ACTIVE 2");

        List<Reserved> three = reserved(3);
        settle(three.subList(0, 1), REFUSED);
        assertThat(row()).isEqualTo("DISABLED DEAD_THRESHOLD 3");
        settle(three.subList(1, 3), REFUSED, GONE);
        assertThat(row()).as("disabled once").isEqualTo("DISABLED DEAD_THRESHOLD 5");

        assertThat(disabledEvents()).isEqualTo(1);
        assertThat(fixture.text(
                        "select payload ->> 'subscriptionId' || ' ' || (payload ->> 'reason') || ' ' || (payload ->> 'consecutiveDead')"
                                + " || ' ' || status from outbox_events where tenant_id = ? and event_name like 'ringfence.%'",
                        tenant))
                .isEqualTo(subscription + " DEAD_THRESHOLD 3 PENDING");
        assertThat(fixture.text(
                        "select actor || ' ' || action || ' ' || (detail ->> 'reason') from audit_log where target = ?",
                        subscription.toString()))
                .isEqualTo("ringfence subscription.disable DEAD_THRESHOLD");
        assertThat(fixture.text("select cardinality(closings)::text from subscriptions where id = ?", subscription))
                .isEqualTo("1");
    }

    @Test
    @Tag("SB-6")
    void a_success_ends_the_streak_and_what_came_after_it_counts() {
        settle(REFUSED, REFUSED);
        settle(FINE);
        assertThat(row()).isEqualTo("ACTIVE 0");

        settle(REFUSED, REFUSED, FINE, REFUSED);
        assertThat(row()).as("one since the success").isEqualTo("ACTIVE 1");
        settle(FINE, REFUSED, REFUSED);
        assertThat(row()).isEqualTo("ACTIVE 2");
        assertThat(disabledEvents()).isZero();
    }

    @Test
    @Tag("SB-6")
    void a_receiver_that_is_gone_disables_at_once() {
        settle(GONE);
        assertThat(row()).isEqualTo("DISABLED GONE 1");
        assertThat(disabledEvents()).isEqualTo(1);
    }

    @Test
    @Tag("SB-6")
    void an_answer_that_comes_too_late_counts_nothing() {
        List<Reserved> one = reserved(1);
        settle(one, BUSY);
        settle(one, REFUSED);
        settle(one, FINE);
        assertThat(row()).isEqualTo("ACTIVE 0");
    }

    /** As the engine ends what may not be sent any more. */
    private static DeliveryCounters conclude(List<Long> ids, DeliveryState state, OutcomeCode code) {
        Settings settings = Settings.from(
                Map.of("ringfence.secrets.key", Base64.getEncoder().encodeToString(new byte[32])));
        DeliveryCounters counters = new DeliveryCounters();
        Conclusions conclusions = new Conclusions(
                new ConclusionRepository(fixture.transactions),
                new BlameRepository(fixture.transactions, settings),
                RealStreaks.over(fixture.transactions),
                new MovedKeys(),
                counters);
        List<Conclusion> ended =
                ids.stream().map(id -> new Conclusion(id, 1, state, code)).toList();
        assertThat(fixture.transactions.inNew(() -> conclusions.conclude(ended, NOW)))
                .isEqualTo(ids.size());
        return counters;
    }

    /** Deliveries of which one attempt each was answered as given, in a cycle that began a little less than its age ago. */
    private List<Long> tried(int count, SendResult result) {
        List<Reserved> all = reserve(fixture.deliveries(
                tenant, subscription, count, NOW.minus(MAX_AGE).plusSeconds(30)));
        settle(all, Collections.nCopies(count, result).toArray(SendResult[]::new));
        return all.stream().map(Reserved::deliveryId).toList();
    }

    /** Makes deliveries have been due before their age was over. */
    private void dueBefore(List<Long> ids) {
        ids.forEach(id -> fixture.update(
                "update deliveries set next_attempt_at = next_attempt_at - interval '1 second' where id = ?", id));
    }

    @Test
    @Tag("SB-6")
    @Tag("OB-6")
    void what_its_receiver_was_never_asked_for_disables_nobody_however_it_ends() {
        List<Long> old = fixture.deliveries(tenant, subscription, 4, NOW.minus(MAX_AGE));
        assertThat(conclude(old, DeliveryState.DEAD, OutcomeCode.EXPIRED).snapshot())
                .isEqualTo(Map.of("delivery.dead", 4L, "concluded.EXPIRED", 4L));
        assertThat(row()).as("nodes that did not run").isEqualTo("ACTIVE 0");

        List<Long> unwanted = fixture.deliveries(tenant, subscription, 4, NOW);
        assertThat(conclude(unwanted, DeliveryState.FAILED, OutcomeCode.ACCESS_ABSENT)
                        .snapshot())
                .isEqualTo(Map.of("delivery.failed", 4L, "concluded.ACCESS_ABSENT", 4L));
        SendResult lost = new SendResult.Uncertain(OutcomeCode.FENCE_LOST, null, null);
        conclude(tried(4, lost), DeliveryState.DEAD, OutcomeCode.EXPIRED);
        assertThat(row()).as("a fence that we lost").isEqualTo("ACTIVE 0");

        SendResult malformed = new SendResult.Failed(OutcomeCode.MALFORMED_PAYLOAD, null);
        settle(malformed, malformed, malformed, malformed);
        assertThat(row()).as("a body that was not sent").isEqualTo("ACTIVE 0");
        List<Reserved> once = reserved(4);
        List<Settlement> ended = once.stream()
                .map(one -> new Attempted(
                        one, new RetryPolicy(List.of(60), 0, 6), List.of(), Semantics.AT_MOST_ONCE, 6, MAX_AGE))
                .map(one -> Outcomes.of(one, lost, NOW, 0))
                .toList();
        fixture.transactions.inNew(() -> receipts.settle(ended, NOW));
        assertThat(fixture.delivery(once.get(0).deliveryId(), "state || ' ' || last_code"))
                .isEqualTo("dead FENCE_LOST");
        assertThat(row()).as("once at most, and the fence was lost").isEqualTo("ACTIVE 0");
    }

    @Test
    @Tag("SB-6")
    void what_its_receiver_let_grow_too_old_counts_and_what_we_let_wait_does_not() {
        List<Long> waited = tried(2, BUSY);
        dueBefore(waited);
        conclude(waited, DeliveryState.DEAD, OutcomeCode.EXPIRED);
        assertThat(row()).as("the next attempt was due before").isEqualTo("ACTIVE 0");

        conclude(tried(1, BUSY), DeliveryState.DEAD, OutcomeCode.EXPIRED);
        assertThat(row()).as("no other attempt would have been in time").isEqualTo("ACTIVE 1");
        conclude(tried(1, BUSY), DeliveryState.DEAD, OutcomeCode.EXHAUSTED);
        assertThat(row()).isEqualTo("ACTIVE 2");
        List<Long> shut = tried(1, BUSY);
        dueBefore(shut);
        fixture.update("update subscriptions set circuit = 'OPEN', circuit_until = now() where id = ?", subscription);
        conclude(shut, DeliveryState.DEAD, OutcomeCode.EXPIRED);
        assertThat(row()).as("its circuit kept it waiting").isEqualTo("DISABLED DEAD_THRESHOLD 3");
    }

    @Test
    @Tag("SB-6")
    @Tag("SB-3")
    void a_paused_one_is_disabled_by_nothing_but_gone() {
        List<Reserved> flying = reserved(5);
        List<Long> waiting = tried(4, BUSY);
        fixture.update("update subscriptions set status = 'PAUSED' where id = ?", subscription);

        conclude(waiting, DeliveryState.DEAD, OutcomeCode.EXPIRED);
        settle(flying.subList(0, 4), REFUSED, REFUSED, REFUSED, REFUSED);
        assertThat(row()).isEqualTo("PAUSED 0");
        settle(flying.subList(4, 5), GONE);
        assertThat(row()).isEqualTo("DISABLED GONE 0");
    }

    @Test
    @Tag("SB-7")
    void a_test_send_is_tried_once_and_counts_nowhere() {
        long id =
                fixture.deliveries(tenant, subscription, 1, NOW.minusSeconds(1)).get(0);
        fixture.update(
                "insert into deliveries (id, tenant_id, app_id, epoch, subscription_id, event_ordinal, event_recorded_at, event_id,"
                        + " message_id, mode, state, url, body_bytes, protocol, cycle_started_at, next_attempt_at, created_at, updated_at, test)"
                        + " select nextval('ordinals'), tenant_id, app_id, epoch, subscription_id, 0, event_recorded_at, 'evt_t', 'msg_t', mode,"
                        + " 'pending', url, 'x'::bytea, 1, cycle_started_at, next_attempt_at, created_at, updated_at, true"
                        + " from deliveries where id = ?",
                id);
        long test = fixture.database.number("select max(id) from ringfence.deliveries where test");
        Reserved reserved = reserve(List.of(test)).get(0);
        assertThat(reserved.test()).isTrue();

        settle(List.of(reserved), BUSY);

        assertThat(fixture.delivery(test, "state || ' ' || last_code")).isEqualTo("dead EXHAUSTED");
        assertThat(row()).isEqualTo("ACTIVE 0");
        settle(REFUSED, REFUSED);
        fixture.update(
                "update deliveries set state = 'pending', cycle = 2, cycle_attempts = 0, next_attempt_at = ? where id = ?",
                NOW.minusSeconds(1).atOffset(ZoneOffset.UTC),
                test);
        settle(reserve(List.of(test)), FINE);
        assertThat(row()).as("a test that arrives ends no streak").isEqualTo("ACTIVE 2");
    }

    @Test
    @Tag("SB-6")
    void no_event_is_recorded_while_somebody_wants_the_tenant_alone() throws Exception {
        List<Reserved> one = reserved(1);
        try (var redaction = fixture.database.connect();
                var lock = redaction.prepareStatement(
                        "select pg_advisory_lock(fence_key) from tenant_lifecycle where tenant_id = ?")) {
            lock.setLong(1, tenant);
            lock.execute();
            settle(one, GONE);
        }
        assertThat(row()).isEqualTo("DISABLED GONE 1");
        assertThat(disabledEvents()).isZero();
    }
}
