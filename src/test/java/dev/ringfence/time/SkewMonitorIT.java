package dev.ringfence.time;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.harness.TestDatabase;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The skew as measured against a real database, with clocks of ours that are wrong on purpose. */
@Tag("LC-6")
class SkewMonitorIT {

    private static final TestDatabase DATABASE = TestDatabase.empty();
    private static final Duration PERMITTED = Duration.ofSeconds(30);

    private final AtomicLong late = new AtomicLong();
    private final NanoClock nanos = new NanoClock() {
        @Override
        public long nanos() {
            return super.nanos() + late.get();
        }
    };

    @AfterAll
    static void drop() {
        DATABASE.close();
    }

    @Test
    void a_clock_like_the_databases_is_measured_by_the_first_who_asks() {
        Skew skew = monitor(ClockProducer.utcMicros(), DATABASE.dataSource()).current();

        assertThat(skew.status()).isEqualTo(Skew.Status.MEASURED);
        assertThat(skew.bound()).isGreaterThanOrEqualTo(skew.offset().abs());
    }

    @Test
    void a_clock_that_is_a_minute_behind_is_past_the_maximum() {
        Clock behind = Clock.offset(ClockProducer.utcMicros(), Duration.ofMinutes(-1));

        Skew skew = monitor(behind, DATABASE.dataSource()).measure();

        assertThat(skew.status()).isEqualTo(Skew.Status.EXCEEDED);
        assertThat(skew.offset()).isBetween(Duration.ofSeconds(55), Duration.ofSeconds(65));
        assertThat(skew.usableBound()).isEmpty();
    }

    @Test
    @Tag("AD-6")
    void a_clock_that_is_ahead_still_tells_the_databases_time() {
        Clock ahead = Clock.offset(ClockProducer.utcMicros(), Duration.ofSeconds(90));
        SkewMonitor monitor = monitor(ahead, DATABASE.dataSource());
        monitor.measure();

        Duration off = Duration.between(
                new DatabaseClock(ahead, monitor::offset).instant(),
                ClockProducer.utcMicros().instant());

        assertThat(off.abs()).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    void what_has_become_stale_is_measured_again() {
        SkewMonitor monitor = monitor(ClockProducer.utcMicros(), DATABASE.dataSource());
        Instant first = monitor.measure().databaseTime();

        late.set(Duration.ofSeconds(11).toNanos());

        assertThat(monitor.current().status()).isEqualTo(Skew.Status.MEASURED);
        assertThat(monitor.current().databaseTime()).isAfter(first);
    }

    @Test
    void a_database_that_does_not_answer_leaves_nothing_to_rely_on() throws SQLException {
        TestDatabase gone = TestDatabase.empty();
        SkewMonitor monitor = monitor(ClockProducer.utcMicros(), gone.dataSource());
        assertThat(monitor.measure().usableBound()).isPresent();
        gone.close();

        late.set(Duration.ofSeconds(11).toNanos());

        assertThat(monitor.current().status()).isEqualTo(Skew.Status.STALE);
        assertThat(monitor.current().usableBound()).isEmpty();
    }

    private SkewMonitor monitor(Clock clock, DataSource database) {
        return new SkewMonitor(new DatabaseClockRepository(() -> database, clock, nanos), nanos, PERMITTED);
    }
}
