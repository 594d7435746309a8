package dev.ringfence.time;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.time.Skew.Status;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("LC-6")
class SkewWindowTest {

    private static final Instant NOON = Instant.parse("2026-06-03T12:00:00Z");
    private static final long SECOND = 1_000_000_000L;

    private final SkewWindow window = new SkewWindow(Duration.ofMillis(1_000));

    @Test
    void nothing_measured_is_no_bound() {
        assertThat(window.at(0).status()).isEqualTo(Status.UNMEASURED);
        assertThat(window.at(0).usableBound()).isEmpty();
    }

    @Test
    void half_the_round_trip_may_hide_an_offset() {
        window.add(sample(0, 10, 35));

        Skew skew = window.at(SECOND);
        assertThat(skew.status()).isEqualTo(Status.MEASURED);
        assertThat(skew.offset()).isEqualTo(Duration.ofMillis(30));
        assertThat(skew.usableBound()).contains(Duration.ofMillis(35).plusNanos(2_000));
    }

    /** Whatever way the 40 ms were spread over question and answer, the true offset is within the bound. */
    @Test
    void the_bound_holds_for_an_uneven_round_trip() {
        for (int question = 0; question <= 40; question++) {
            SkewWindow fresh = new SkewWindow(Duration.ofMillis(1_000));
            long trueOffset = -25;
            fresh.add(sample(0, 40, question + trueOffset));
            assertThat(fresh.at(SECOND).bound()).isGreaterThanOrEqualTo(Duration.ofMillis(25));
        }
    }

    @Test
    void the_worst_recent_measurement_counts_until_it_is_forgotten() {
        window.add(sample(0, 10, -395));
        for (int second = 2; second <= 20; second += 2) {
            window.add(sample(second, 10, 5));
            boolean remembered = second < 16;
            assertThat(window.at(second * SECOND).bound().compareTo(Duration.ofMillis(400)) > 0)
                    .as("after %d s", second)
                    .isEqualTo(remembered);
        }
    }

    @Test
    void an_old_measurement_is_stale() {
        window.add(sample(0, 0, 0));

        assertThat(window.at(10 * SECOND).status()).isEqualTo(Status.MEASURED);
        Skew stale = window.at(10 * SECOND + 1);
        assertThat(stale.status()).isEqualTo(Status.STALE);
        assertThat(stale.usableBound()).isEmpty();
    }

    @Test
    void past_the_maximum_there_is_no_usable_bound_in_either_direction() {
        window.add(sample(0, 0, -1_001));
        assertThat(window.at(0).status()).isEqualTo(Status.EXCEEDED);
        assertThat(window.at(0).usableBound()).isEmpty();

        SkewWindow ahead = new SkewWindow(Duration.ofMillis(1_000));
        ahead.add(sample(0, 0, 1_001));
        assertThat(ahead.at(0).status()).isEqualTo(Status.EXCEEDED);
    }

    /** Our clock says noon when the question goes out; the database says noon plus {@code databaseMillis}. */
    private static ClockSample sample(int second, int roundTripMillis, long databaseMillis) {
        long sent = second * SECOND - roundTripMillis * 1_000_000L;
        return new ClockSample(NOON, sent, second * SECOND, NOON.plusMillis(databaseMillis));
    }
}
