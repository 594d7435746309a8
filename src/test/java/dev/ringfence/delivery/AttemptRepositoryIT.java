package dev.ringfence.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Ledgers as the database keeps them. */
class AttemptRepositoryIT {

    /** A ledger has no end; an answer of the API has. */
    @Test
    void ofALongLedgerTheNewestAttemptsAreShown() {
        try (DeliveryFixture fixture = new DeliveryFixture()) {
            long tenant = fixture.tenant("t");
            UUID subscription = fixture.subscription(tenant, "AT_LEAST_ONCE", 6);
            List<Long> ids = fixture.deliveries(tenant, subscription, 2, Instant.now());
            attempts(fixture, ids.get(0), 130);
            attempts(fixture, ids.get(1), 2);
            DeliveryRepository deliveries = new DeliveryRepository(fixture.transactions);
            AttemptRepository attempts = new AttemptRepository(fixture.transactions);

            List<Delivery> both = attempts.addTo(ids.stream()
                    .flatMap(id -> deliveries.find(DeliveryQuery.one(fixture.app, id)).stream())
                    .toList());

            assertThat(both.get(0).attempts())
                    .extracting(Attempt::number)
                    .containsExactlyElementsOf(
                            IntStream.rangeClosed(31, 130).boxed().toList());
            assertThat(both.get(1).attempts()).extracting(Attempt::number).containsExactly(1, 2);
        }
    }

    private static void attempts(DeliveryFixture fixture, long delivery, int count) {
        fixture.update(
                "insert into delivery_attempts (delivery_id, delivery_created_at, number, cycle, tenant_id, reservation_id, state, node, started_at, send_by)"
                        + " select d.id, d.created_at, n, 1, d.tenant_id, gen_random_uuid(), 'SENDING', 'a', now(), now()"
                        + " from deliveries d, generate_series(1, ?) as n where d.id = ?",
                count,
                delivery);
    }
}
