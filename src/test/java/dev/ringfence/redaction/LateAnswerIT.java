package dev.ringfence.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.delivery.AttemptState;
import dev.ringfence.delivery.DeliveryState;
import dev.ringfence.ordering.MovedKeys;
import dev.ringfence.receipt.ReceiptRepository;
import dev.ringfence.receipt.Receipts;
import dev.ringfence.receipt.Settlement;
import dev.ringfence.reservation.Reserved;
import dev.ringfence.subscription.RealStreaks;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An answer that comes when a redaction has closed the attempt, or erased its row. */
class LateAnswerIT {
    @Test
    @Tag("AT-8")
    @Tag("RD-1")
    void a_late_answer_attaches_to_the_marker_once_and_resolves_nothing() throws Exception {
        try (RedactionFixture fixture = new RedactionFixture()) {
            long tenant = fixture.tenant("shop");
            UUID subscription = fixture.rows.subscription(tenant, "AT_LEAST_ONCE", 6);
            List<Long> ids = fixture.rows.deliveries(
                    tenant, subscription, 1, Instant.now().minusSeconds(1));
            UUID reservation = fixture.attempt(ids.get(0), "SENDING", -5);
            fixture.fence(fixture.request("shop"), "shop");
            fixture.erase(tenant, "delivery_attempts", 100);
            fixture.erase(tenant, "deliveries", 100);
            Receipts receipts = new Receipts(
                    new ReceiptRepository(fixture.rows.transactions),
                    RealStreaks.over(fixture.rows.transactions),
                    new MovedKeys());

            settle(fixture, receipts, answer(fixture, tenant, ids.get(0), reservation, AttemptState.ACKNOWLEDGED, 200));
            settle(fixture, receipts, answer(fixture, tenant, ids.get(0), reservation, AttemptState.UNCERTAIN, 503));

            assertThat(fixture.rows.text(
                            "select concat_ws(' ', late_state, late_status, late_at is not null, finding, resolved_at) from unresolved_markers"
                                    + " where reservation_id = ?",
                            reservation))
                    .isEqualTo("ACKNOWLEDGED 200 t");
        }
    }

    private static void settle(RedactionFixture fixture, Receipts receipts, Settlement answer) {
        assertThat(fixture.rows.transactions.inNew(() -> receipts.settle(List.of(answer), Instant.now())))
                .isEmpty();
    }

    private static Settlement answer(
            RedactionFixture fixture, long tenant, long delivery, UUID reservation, AttemptState state, int status) {
        Instant now = Instant.now();
        Reserved reserved = new Reserved(
                delivery,
                now,
                tenant,
                fixture.rows.epoch,
                UUID.randomUUID(),
                reservation,
                1,
                1,
                1,
                now,
                now,
                "msg_1",
                null,
                null,
                null,
                null,
                false,
                false);
        return new Settlement(reserved, state, null, status, null, null, DeliveryState.DELIVERED, null, null);
    }
}
