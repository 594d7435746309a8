package dev.ringfence.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InstantsTest {

    /** D22: PostgreSQL would round this into the next day. */
    @Test
    void nanoseconds_are_cut_not_rounded() {
        Instant cut = Instants.micros(Instant.parse("2026-06-03T23:59:59.999999999Z"));

        assertThat(cut).isEqualTo(Instant.parse("2026-06-03T23:59:59.999999Z"));
        assertThat(Instants.format(Instant.parse("2026-06-03T23:59:59.999999999Z")))
                .isEqualTo("2026-06-03T23:59:59.999999Z");
    }

    @ParameterizedTest
    @CsvSource({
        "2026-06-03T10:00:00Z, 2026-06-03T10:00:00.000Z",
        "2026-06-03T12:00:00.1+02:00, 2026-06-03T10:00:00.100Z",
        "2026-06-03t10:00:00.123456789z, 2026-06-03T10:00:00.123456Z",
        "2026-06-03T10:00:00.120000-00:00, 2026-06-03T10:00:00.120Z",
        "0001-01-01T00:00:00Z, 0001-01-01T00:00:00.000Z"
    })
    void rfc_3339_is_read_and_written_in_utc(String read, String written) {
        assertThat(Instants.parse(read).map(Instants::format)).contains(written);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "2026-06-03",
                "2026-06-03T10:00:00",
                "2026-06-03 10:00:00Z",
                "2026-02-30T10:00:00Z",
                "2026-06-03T23:59:60Z",
                "+12026-06-03T10:00:00Z",
                "0000-01-01T00:00:00Z",
                "2026-06-03T10:00:00.Z",
                "2026-06-03T10:00:00+0200",
                "٢٠٢٦-06-03T10:00:00Z"
            })
    void anything_else_is_no_instant(String text) {
        assertThat(Instants.parse(text)).isEmpty();
    }
}
