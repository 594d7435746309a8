package dev.ringfence.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.time.Skew;
import dev.ringfence.time.SkewMonitor;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class RequestStartsTest {

    private static final Instant CAPTURE = Instant.parse("2026-06-03T12:00:00.000000Z");
    private static final Duration NONE = Duration.ZERO;

    private final RequestStarts starts = new RequestStarts(measured(Skew.Status.MEASURED, 40));

    @ParameterizedTest
    @Tag("LC-5")
    @CsvSource(
            nullValues = "-",
            value = {
                "-, -, 11:59:59.960",
                "12:00:00.000, 0, 11:59:59.960",
                "12:00:00.000, 40, 11:59:59.960",
                "12:00:00.000, 41, 11:59:59.959",
                "11:59:59.970, 5, 11:59:59.960",
                "11:59:59.959, 0, 11:59:59.959",
                "11:00:00.000, 500, 10:59:59.500"
            })
    void the_earlier_of_both_counts(String at, Long bound, String effective) {
        EffectiveStart start = starts.effective(CAPTURE, said(at, bound), NONE);

        assertThat(start.at()).isEqualTo(day(effective));
    }

    @Test
    @Tag("LC-5")
    void a_callers_time_after_the_capture_is_refused_whatever_its_bound() {
        CallerStart later = new CallerStart(CAPTURE.plusNanos(1_000), Duration.ofHours(1));

        assertProblem(() -> starts.effective(CAPTURE, later, NONE), 503, "CLOCK_BOUND_UNAVAILABLE", "");
    }

    @Test
    @Tag("LC-5")
    void half_a_pair_and_a_bound_below_the_minimum_are_refused() {
        Duration minimum = Duration.ofMillis(250);
        assertProblem(
                () -> starts.effective(CAPTURE, new CallerStart(CAPTURE, null), NONE), 422, "INVALID", "/skewBoundMs");
        assertProblem(
                () -> starts.effective(CAPTURE, new CallerStart(null, minimum), NONE),
                422,
                "INVALID",
                "/requestStartedAt");
        assertProblem(
                () -> starts.effective(CAPTURE, new CallerStart(CAPTURE, Duration.ofMillis(249)), minimum),
                422,
                "INVALID",
                "/skewBoundMs");
        assertThat(starts.effective(CAPTURE, new CallerStart(CAPTURE, minimum), minimum)
                        .at())
                .isEqualTo(CAPTURE.minus(minimum));
        assertThat(starts.effective(CAPTURE, CallerStart.ABSENT, minimum).at()).isEqualTo(CAPTURE.minusMillis(40));
    }

    @ParameterizedTest
    @EnumSource(value = Skew.Status.class, mode = EnumSource.Mode.EXCLUDE, names = "MEASURED")
    @Tag("LC-6")
    void without_a_reliable_bound_there_is_no_start(Skew.Status status) {
        RequestStarts blind = new RequestStarts(measured(status, 40));
        CallerStart old = new CallerStart(CAPTURE.minusSeconds(60), Duration.ofSeconds(1));

        assertProblem(() -> blind.effective(CAPTURE, CallerStart.ABSENT, NONE), 503, "CLOCK_BOUND_UNAVAILABLE", "");
        assertProblem(() -> blind.effective(CAPTURE, old, NONE), 503, "CLOCK_BOUND_UNAVAILABLE", "");
        assertProblem(() -> blind.session(CAPTURE, CAPTURE, old, NONE), 503, "CLOCK_BOUND_UNAVAILABLE", "");
    }

    @ParameterizedTest
    @Tag("LC-4")
    @CsvSource(
            nullValues = "-",
            value = {"-, 0, 40", "-, 100, 100", "500, 100, 500", "10, 0, 40"})
    void a_session_is_as_old_as_the_largest_bound_makes_it(Long callersBound, long minimum, long taken) {
        CallerStart caller =
                callersBound == null ? CallerStart.ABSENT : new CallerStart(CAPTURE, Duration.ofMillis(callersBound));

        assertThat(starts.session(CAPTURE, CAPTURE, caller, Duration.ofMillis(minimum))
                        .at())
                .isEqualTo(CAPTURE.minusMillis(taken));
    }

    @Test
    @Tag("LC-4")
    void a_session_of_the_future_is_refused() {
        assertProblem(
                () -> starts.session(CAPTURE, CAPTURE.plusNanos(1_000), CallerStart.ABSENT, NONE),
                503,
                "CLOCK_BOUND_UNAVAILABLE",
                "");
    }

    @Test
    @Tag("LC-4")
    void only_strictly_later_than_the_boundary_passes() {
        EffectiveStart start = new EffectiveStart(CAPTURE);

        assertThat(start.isAfter(null)).isTrue();
        assertThat(start.isAfter(CAPTURE.minusNanos(1_000))).isTrue();
        assertThat(start.isAfter(CAPTURE)).isFalse();
        assertThat(start.isAfter(CAPTURE.plusNanos(1_000))).isFalse();
    }

    private static void assertProblem(Runnable asked, int status, String code, String pointer) {
        ApiProblem problem = catchThrowableOfType(ApiProblem.class, asked::run);
        assertThat(problem.status()).isEqualTo(status);
        assertThat(problem.code()).isEqualTo(code);
        assertThat(problem.errors()).extracting("pointer").isEqualTo(pointer.isEmpty() ? List.of() : List.of(pointer));
    }

    private static CallerStart said(String at, Long bound) {
        return at == null ? CallerStart.ABSENT : new CallerStart(day(at), Duration.ofMillis(bound));
    }

    private static Instant day(String time) {
        return Instant.parse("2026-06-03T" + time + "Z");
    }

    private static SkewMonitor measured(Skew.Status status, int boundMillis) {
        return new SkewMonitor() {
            @Override
            public Skew current() {
                return new Skew(status, Duration.ofMillis(boundMillis), Duration.ZERO, CAPTURE);
            }
        };
    }
}
