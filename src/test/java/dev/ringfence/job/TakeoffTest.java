package dev.ringfence.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.fence.FenceKey;
import dev.ringfence.lifecycle.Phase;
import dev.ringfence.lifecycle.TenantLifecycle;
import dev.ringfence.reservation.Reserved;
import dev.ringfence.transport.OutcomeCode;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class TakeoffTest {
    private static final Instant REQUEST = Instant.parse("2026-03-01T12:00:00Z");
    private static final UUID EPOCH = UUID.randomUUID();
    private static final Reserved RESERVED = new Reserved(
            7,
            REQUEST,
            1,
            EPOCH,
            UUID.randomUUID(),
            UUID.randomUUID(),
            1,
            1,
            1,
            REQUEST,
            REQUEST,
            "msg_1",
            "http://example.test/",
            null,
            null,
            new byte[0],
            false,
            false);

    private static OutcomeCode forbidden(Phase phase, UUID epoch, Instant boundary, boolean appEnabled) {
        TenantLifecycle tenant = new TenantLifecycle(
                1,
                UUID.randomUUID(),
                "shop",
                new FenceKey(1),
                epoch,
                phase,
                boundary,
                REQUEST,
                0,
                0,
                null,
                null,
                true,
                appEnabled,
                Duration.ZERO);
        return Takeoff.forbidden(RESERVED, tenant);
    }

    @Test
    @Tag("FN-4")
    void the_second_look_lets_the_same_epoch_of_an_active_tenant_go() {
        assertThat(forbidden(Phase.ACTIVE, EPOCH, null, true)).isNull();
        assertThat(forbidden(Phase.ACTIVE, EPOCH, REQUEST.minusNanos(1_000), true))
                .isNull();
    }

    @Test
    @Tag("FN-4")
    void the_second_look_forbids_what_was_redacted_meanwhile() {
        assertThat(Takeoff.forbidden(RESERVED, null)).isEqualTo(OutcomeCode.REDACTED);
        assertThat(forbidden(Phase.REDACTED, EPOCH, null, true)).isEqualTo(OutcomeCode.REDACTED);
        assertThat(forbidden(Phase.ACTIVE, UUID.randomUUID(), null, true)).isEqualTo(OutcomeCode.REDACTED);
        assertThat(forbidden(Phase.ACTIVE, EPOCH, REQUEST, true))
                .as("a request at the boundary")
                .isEqualTo(OutcomeCode.REDACTED);
        assertThat(forbidden(Phase.ACTIVE, EPOCH, REQUEST.plusSeconds(1), true)).isEqualTo(OutcomeCode.REDACTED);
    }

    @Test
    @Tag("FN-4")
    void the_second_look_forbids_a_disabled_app() {
        assertThat(forbidden(Phase.ACTIVE, EPOCH, null, false)).isEqualTo(OutcomeCode.APP_DISABLED);
    }
}
