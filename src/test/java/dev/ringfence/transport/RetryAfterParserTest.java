package dev.ringfence.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("AT-6")
class RetryAfterParserTest {
    private static final Instant NOW = Instant.parse("2026-11-29T12:00:00Z");

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "120, 120",
        "'\t120 ', 120",
        "0000120, 120",
        "9999999999, 9999999999",
        "9223372036854775807, 9223372036854775807",
        "9999999999999999999999999999999999999999, 9223372036854775807"
    })
    void digitsAreSeconds(String line, long seconds) {
        assertThat(RetryAfterParser.longest(List.of(line), NOW)).isEqualTo(new RetryAfter.Seconds(seconds));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-3",
                "+3",
                "1.5",
                "1.",
                "120junk",
                "",
                "120, 240",
                "٣",
                "0x10",
                "soon",
                "Sun, 32 Nov 2026 12:00:00 GMT",
                "Sun, 29 Foo 2026 12:00:00 GMT",
                "Sun, 29 ovD 2026 12:00:00 GMT",
                "Sun, 29 Nov 2026 12:00:00 CET",
                "Sun, 29 Nov 2026 25:00:00 GMT",
                "2026-11-29T12:00:00Z"
            })
    void whatIsNeitherSecondsNorADateIsNoHeader(String line) {
        assertThat(RetryAfterParser.longest(List.of(line), NOW)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "'Sun, 06 Nov 1994 08:49:37 GMT', 1994-11-06T08:49:37Z",
        "'Sunday, 06-Nov-94 08:49:37 GMT', 1994-11-06T08:49:37Z",
        "'Sun Nov  6 08:49:37 1994', 1994-11-06T08:49:37Z",
        "'Wed, 16 Sep 2026 23:59:60 GMT', 2026-09-17T00:00:00Z",
        "'Monday, 30-Nov-26 00:00:00 GMT', 2026-11-30T00:00:00Z",
        "'Friday, 01-Jan-77 00:00:00 GMT', 1977-01-01T00:00:00Z",
        "'Friday, 01-Jan-76 00:00:00 GMT', 2076-01-01T00:00:00Z"
    })
    void allThreeFormsOfDatesAreRead(String line, Instant moment) {
        assertThat(RetryAfterParser.longest(List.of(line), NOW)).isEqualTo(new RetryAfter.At(moment));
    }

    @Test
    void ofSeveralLinesTheLongestWaitCounts() {
        assertThat(RetryAfterParser.longest(List.of("5", "x", "60", "7"), NOW)).isEqualTo(new RetryAfter.Seconds(60));
        assertThat(RetryAfterParser.longest(List.of("59", "Sun, 29 Nov 2026 12:01:00 GMT"), NOW))
                .isEqualTo(new RetryAfter.At(NOW.plusSeconds(60)));
        assertThat(RetryAfterParser.longest(List.of("9".repeat(40), "Sun, 29 Nov 2026 12:01:00 GMT"), NOW))
                .isEqualTo(new RetryAfter.Seconds(Long.MAX_VALUE));
        assertThat(RetryAfterParser.longest(List.of(), NOW)).isNull();
    }
}
