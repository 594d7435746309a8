package dev.ringfence.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Constructor;
import java.lang.reflect.Parameter;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes whose clocks differ tell due times in one time (AT-6, AD-6). */
class DatabaseClockTest {
    private static final Instant NOON = Instant.parse("2026-06-03T12:00:00Z");

    private final AtomicReference<Instant> machine = new AtomicReference<>(NOON);
    private final AtomicReference<Duration> offset = new AtomicReference<>(Duration.ZERO);
    private final DatabaseClock clock = new DatabaseClock(machine::get, offset::get);

    @Test
    @Tag("AD-6")
    void shows_the_databases_time_whatever_the_machines_clock_says() {
        machine.set(NOON.plusSeconds(90));
        offset.set(Duration.ofSeconds(-90));
        assertThat(clock.instant()).isEqualTo(NOON);
    }

    @Test
    void stands_where_a_measurement_moves_it_back_a_little() {
        assertThat(clock.instant()).isEqualTo(NOON);
        offset.set(Duration.ofMillis(-300));
        assertThat(clock.instant()).isEqualTo(NOON);
        machine.set(NOON.plusMillis(301));
        assertThat(clock.instant()).isEqualTo(NOON.plusMillis(1));
    }

    @Test
    void goes_back_where_the_machines_clock_was_set_back_by_much() {
        assertThat(clock.instant()).isEqualTo(NOON);
        machine.set(NOON.minusSeconds(3600));
        assertThat(clock.instant()).isEqualTo(NOON.minusSeconds(3600));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "job.CandidateFeed", "job.Departure", "job.Landing", "job.Takeoff", "reservation.AbandonedAttempts",
                "fanout.Claims", "fanout.Fanout", "fanout.Publication", "recording.Recorder", "recording.Operations",
                "recording.Milestones"
            })
    @Tag("AT-6")
    void is_the_clock_of_everything_that_writes_or_compares_due_times(String name) throws ClassNotFoundException {
        Class<?> type = Class.forName("dev.ringfence." + name);
        boolean injected = Arrays.stream(type.getDeclaredConstructors())
                .map(Constructor::getParameters)
                .flatMap(Arrays::stream)
                .filter(parameter -> parameter.getType() == Clock.class)
                .anyMatch(DatabaseClockTest::databaseTime);
        boolean field = Arrays.stream(type.getDeclaredFields())
                .anyMatch(one -> one.getType() == Clock.class && one.isAnnotationPresent(DatabaseTime.class));
        assertThat(injected || field).isTrue();
    }

    private static boolean databaseTime(Parameter parameter) {
        return parameter.isAnnotationPresent(DatabaseTime.class);
    }
}
