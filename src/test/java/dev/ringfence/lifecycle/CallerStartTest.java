package dev.ringfence.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.json.StrictJson;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class CallerStartTest {

    @Test
    @Tag("LC-5")
    void a_bound_counts_however_its_number_is_written() {
        for (String bound : new String[] {"100", "100.0", "1e2"}) {
            assertThat(in("{\"requestStartedAt\":\"2026-01-01T00:00:00Z\",\"skewBoundMs\":" + bound + "}"))
                    .as(bound)
                    .isEqualTo(new CallerStart(Instant.parse("2026-01-01T00:00:00Z"), Duration.ofMillis(100)));
        }
    }

    @Test
    @Tag("LC-5")
    void half_a_pair_is_kept_for_its_refusal() {
        assertThat(in("{\"skewBoundMs\":5.0}")).isEqualTo(new CallerStart(null, Duration.ofMillis(5)));
        assertThat(in("{}")).isEqualTo(CallerStart.ABSENT);
    }

    private static CallerStart in(String body) {
        return CallerStart.in(StrictJson.parse(body.getBytes(StandardCharsets.UTF_8)));
    }
}
