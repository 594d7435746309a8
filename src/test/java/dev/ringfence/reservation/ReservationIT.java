package dev.ringfence.reservation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.delivery.DeliveryCounters;
import dev.ringfence.delivery.DeliveryFixture;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The reservation's statement against PostgreSQL. */
class ReservationIT {
    private static final Instant NOW = Instant.now().truncatedTo(ChronoUnit.MICROS);
    private static DeliveryFixture fixture;
    private static Reservations reservations;

    private long tenant;
    private UUID subscription;

    @BeforeAll
    static void open() {
        fixture = new DeliveryFixture();
        reservations = new Reservations(new ReservationRepository(fixture.transactions), new DeliveryCounters());
    }

    @AfterAll
    static void close() {
        fixture.close();
    }

    @BeforeEach
    void enrol() {
        tenant = fixture.tenant("tenant-" + UUID.randomUUID());
        subscription = fixture.subscription(tenant, "AT_LEAST_ONCE", 6);
    }

    private static ReservationOrder order(Instant now, List<Long> ids) {
        List<Wanted> wanted = ids.stream()
                .map(id -> new Wanted(id, 6, Duration.ofSeconds(60), Duration.ofSeconds(2)))
                .toList();
        return new ReservationOrder(
                "node-1", now, Duration.ofHours(24), Duration.ofSeconds(3), Duration.ofSeconds(5), wanted);
    }

    private static List<Reserved> reserve(Instant now, List<Long> ids) {
        return fixture.transactions.inNew(() -> reservations.reserve(order(now, ids)));
    }

    private List<Long> due(int count) {
        return fixture.deliveries(tenant, subscription, count, NOW.minusSeconds(1));
    }

    @Test
    @Tag("AT-1")
    void a_reservation_is_committed_with_its_attempt_and_carries_the_exact_bytes() {
        List<Long> ids = due(3);

        List<Reserved> reserved = reserve(NOW, ids);

        assertThat(reserved).extracting(Reserved::deliveryId).containsExactlyInAnyOrderElementsOf(ids);
        Reserved first = reserved.get(0);
        assertThat(first.number()).isEqualTo(1);
        assertThat(first.cycleAttempt()).isEqualTo(1);
        assertThat(new String(first.body())).matches("\\{\"n\":\\d+}");
        assertThat(fixture.ledger(first.deliveryId())).isEqualTo("1:SENDING");
        assertThat(fixture.delivery(first.deliveryId(), "reservation_id"))
                .isEqualTo(first.reservationId().toString());
        assertThat(fixture.delivery(first.deliveryId(), "lease_until - send_by"))
                .isEqualTo("00:00:07");
        assertThat(fixture.delivery(first.deliveryId(), "next_attempt_at = '" + NOW.plusSeconds(60) + "'"))
                .isEqualTo("true");
    }

    @Test
    @Tag("AT-1")
    void of_two_workers_with_the_same_batch_each_delivery_is_won_by_exactly_one() throws Exception {
        List<Long> ids = due(200);
        List<Long> descending = new ArrayList<>(ids);
        Collections.reverse(descending);
        ExecutorService workers = Executors.newFixedThreadPool(2);
        CountDownLatch start = new CountDownLatch(1);
        try {
            List<Future<List<Reserved>>> won = new ArrayList<>();
            for (List<Long> batch : List.of(ids, descending)) {
                won.add(workers.submit(() -> {
                    start.await();
                    return reserve(NOW, batch);
                }));
            }
            start.countDown();
            List<Long> all = new ArrayList<>();
            for (Future<List<Reserved>> each : won) {
                each.get().forEach(r -> all.add(r.deliveryId()));
            }
            assertThat(all).containsExactlyInAnyOrderElementsOf(ids);
        } finally {
            workers.shutdownNow();
        }
        assertThat(fixture.database.number(
                        "select count(*) from ringfence.delivery_attempts where tenant_id = " + tenant))
                .isEqualTo(200);
    }

    @Test
    @Tag("AT-1")
    void nothing_is_reserved_that_must_not_be_sent() {
        List<Long> ids = due(1);
        long id = ids.get(0);

        assertThat(reserve(NOW.minusSeconds(2), ids)).as("not due").isEmpty();
        assertThat(reserve(NOW.plus(Duration.ofHours(24)), ids)).as("expired").isEmpty();

        fixture.update("update subscriptions set status = 'PAUSED' where id = ?", subscription);
        assertThat(reserve(NOW, ids)).as("paused").isEmpty();
        fixture.update("update subscriptions set status = 'ACTIVE' where id = ?", subscription);

        fixture.update("update apps set enabled = false where id = ?", fixture.app);
        assertThat(reserve(NOW, ids)).as("application disabled").isEmpty();
        fixture.update("update apps set enabled = true where id = ?", fixture.app);

        fixture.update("update tenant_lifecycle set phase = 'REDACTED' where tenant_id = ?", tenant);
        assertThat(reserve(NOW, ids)).as("redacted").isEmpty();
        fixture.update(
                "update tenant_lifecycle set phase = 'ACTIVE', epoch = ? where tenant_id = ?",
                UUID.randomUUID(),
                tenant);
        assertThat(reserve(NOW, ids)).as("another epoch").isEmpty();
        fixture.update("update tenant_lifecycle set epoch = ? where tenant_id = ?", fixture.epoch, tenant);

        assertThat(fixture.ledger(id)).isNull();
        assertThat(reserve(NOW, ids)).hasSize(1);
        assertThat(reserve(NOW.plusSeconds(120), ids)).as("an attempt is open").isEmpty();
        assertThat(fixture.ledger(id)).isEqualTo("1:SENDING");
    }

    @Test
    @Tag("AT-1")
    @Tag("DL-2")
    void a_cycle_that_is_used_up_is_never_reserved_again() {
        List<Long> ids = due(2);
        fixture.update("update deliveries set cycle_attempts = 5, attempts = 5 where id = ?", ids.get(0));
        fixture.update("update deliveries set cycle_attempts = 6, attempts = 6 where id = ?", ids.get(1));

        assertThat(reserve(NOW, ids)).extracting(Reserved::deliveryId).containsExactly(ids.get(0));
        assertThat(fixture.ledger(ids.get(1))).isNull();
    }

    @Test
    @Tag("AT-3")
    void a_reservation_is_given_back_once_and_its_number_is_not_used_again() {
        List<Long> ids = due(1);
        long id = ids.get(0);
        List<Reserved> reserved = reserve(NOW, ids);

        assertThat(fixture.transactions.inNew(() -> reservations.release(reserved, NOW)))
                .isEqualTo(1);
        assertThat(fixture.transactions.inNew(() -> reservations.release(reserved, NOW)))
                .isZero();

        assertThat(fixture.delivery(id, "state || ' ' || cycle_attempts || ' ' || attempts"))
                .isEqualTo("pending 0 1");
        Reserved again = reserve(NOW, ids).get(0);
        assertThat(again.number()).isEqualTo(2);
        assertThat(again.cycleAttempt()).isEqualTo(1);
        assertThat(fixture.ledger(id)).isEqualTo("1:RELEASED 2:SENDING");
        assertThat(fixture.transactions.inNew(() -> reservations.release(reserved, NOW)))
                .as("the old reservation releases nothing of the new one")
                .isZero();
    }

    @Test
    @Tag("AT-1")
    void the_next_due_time_never_lies_past_the_age_budget() {
        List<Long> ids = due(1);
        Instant late = NOW.minusSeconds(1).plus(Duration.ofHours(24)).minusSeconds(10);

        assertThat(reserve(late, ids)).hasSize(1);

        assertThat(fixture.delivery(ids.get(0), "next_attempt_at = cycle_started_at + interval '24 hours'"))
                .isEqualTo("true");
    }
}
