package dev.ringfence.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.fence.FenceKey;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The order of the tenant checks, each case failing everything that comes after the check it names. */
@Tag("LC-5")
class TenantChecksTest {

    private static final UUID CURRENT = UUID.fromString("0e1b0d6c-7f5b-4a3f-8f0e-6f6d2b1f0a11");
    private static final UUID OLD = UUID.fromString("0e1b0d6c-7f5b-4a3f-8f0e-6f6d2b1f0a12");
    private static final Instant BOUNDARY = Instant.parse("2026-06-03T12:00:00Z");

    @Test
    void no_row_is_a_stale_epoch() {
        assertThat(TenantChecks.verify(null, OLD, TenantChecksTest::refusesTheClock))
                .isEqualTo(TenantChecks.STALE_EPOCH);
    }

    @Test
    void redacted_comes_before_the_epoch() {
        assertThat(TenantChecks.verify(row(Phase.REDACTED), OLD, TenantChecksTest::refusesTheClock))
                .isEqualTo(TenantChecks.TENANT_REDACTED);
    }

    @Test
    void the_epoch_comes_before_the_callers_time() {
        assertThat(TenantChecks.verify(row(Phase.ACTIVE), OLD, TenantChecksTest::refusesTheClock))
                .isEqualTo(TenantChecks.STALE_EPOCH);
    }

    @Test
    void the_callers_time_comes_before_the_boundary() {
        assertThatThrownBy(() -> TenantChecks.verify(row(Phase.ACTIVE), CURRENT, TenantChecksTest::refusesTheClock))
                .isInstanceOf(ApiProblem.class)
                .hasMessageContaining("CLOCK");
    }

    @Test
    @Tag("LC-7")
    void a_start_at_the_boundary_is_refused_and_one_after_it_passes() {
        assertThat(TenantChecks.verify(row(Phase.ACTIVE), CURRENT, row -> new EffectiveStart(BOUNDARY)))
                .isEqualTo(TenantChecks.REQUEST_BEFORE_REDACTION);

        EffectiveStart later = new EffectiveStart(BOUNDARY.plusNanos(1_000));
        assertThat(TenantChecks.verify(row(Phase.ACTIVE), CURRENT, row -> later))
                .isEqualTo(new TenantVerdict.Current(row(Phase.ACTIVE), later));
    }

    @Test
    void a_refusal_becomes_a_conflict() {
        assertThatThrownBy(TenantChecks.STALE_EPOCH::orThrow).isInstanceOfSatisfying(ApiProblem.class, problem -> {
            assertThat(problem.status()).isEqualTo(409);
            assertThat(problem.code()).isEqualTo("STALE_EPOCH");
        });
    }

    private static EffectiveStart refusesTheClock(TenantLifecycle row) {
        throw ApiProblem.unavailable("CLOCK", "asked too early");
    }

    private static TenantLifecycle row(Phase phase) {
        return new TenantLifecycle(
                7,
                OLD,
                "shop",
                new FenceKey(1),
                CURRENT,
                phase,
                BOUNDARY,
                BOUNDARY,
                0,
                0,
                null,
                null,
                true,
                true,
                Duration.ZERO);
    }
}
