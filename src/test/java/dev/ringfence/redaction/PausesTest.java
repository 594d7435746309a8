package dev.ringfence.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class PausesTest {
    @Test
    @Tag("RD-2")
    void a_pause_doubles_and_stops_growing_at_five_minutes() {
        assertThat(IntStream.rangeClosed(1, 12).mapToObj(i -> Pauses.after(i).toSeconds()))
                .containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 64L, 128L, 256L, 300L, 300L, 300L);
        assertThat(Pauses.after(Integer.MAX_VALUE)).isEqualTo(Duration.ofMinutes(5));
        assertThat(Pauses.after(0)).isEqualTo(Duration.ofSeconds(1));
    }
}
