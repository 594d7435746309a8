package dev.ringfence.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SeldomTest {
    private final AtomicLong time = new AtomicLong();
    private final NanoClock clock = new NanoClock() {
        @Override
        public long nanos() {
            return time.get();
        }
    };

    @ParameterizedTest
    @ValueSource(longs = {0, -7_000_000_000L, Long.MAX_VALUE - 5})
    void lets_one_through_in_each_pause(long start) {
        time.set(start);
        Seldom seldom = new Seldom(clock, Duration.ofSeconds(1));
        assertThat(IntStream.range(0, 100).filter(i -> seldom.now()).count()).isEqualTo(1);
        time.addAndGet(999_999_999);
        assertThat(seldom.now()).isFalse();
        time.addAndGet(1);
        assertThat(seldom.now()).isTrue();
        assertThat(seldom.now()).isFalse();
    }

    @Test
    void many_threads_get_one_between_them() {
        Seldom seldom = new Seldom(clock, Duration.ofSeconds(1));
        assertThat(IntStream.range(0, 1_000)
                        .parallel()
                        .filter(i -> seldom.now())
                        .count())
                .isEqualTo(1);
    }
}
