package dev.ringfence.time;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Instants as the API writes and reads them: RFC 3339, never finer than a microsecond. */
public final class Instants {

    private static final Pattern RFC_3339 =
            Pattern.compile("(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d)(\\.\\d{1,64})?(Z|[+-]\\d\\d:\\d\\d)");
    private static final int FINEST_DIGITS = 10;

    private Instants() {}

    /** Cuts (never rounds: a rounded value can lie in the next day) to the microseconds that the database keeps. */
    public static Instant micros(Instant instant) {
        return instant.truncatedTo(ChronoUnit.MICROS);
    }

    /** RFC 3339 in UTC with three fractional digits, or six where the microseconds need them. */
    public static String format(Instant instant) {
        LocalDateTime utc = LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
        int micros = instant.getNano() / 1_000;
        String seconds = String.format(
                Locale.ROOT,
                "%04d-%02d-%02dT%02d:%02d:%02d",
                utc.getYear(),
                utc.getMonthValue(),
                utc.getDayOfMonth(),
                utc.getHour(),
                utc.getMinute(),
                utc.getSecond());
        return micros % 1_000 == 0
                ? seconds + String.format(Locale.ROOT, ".%03dZ", micros / 1_000)
                : seconds + String.format(Locale.ROOT, ".%06dZ", micros);
    }

    /** Reads RFC 3339 with any offset, cut to microseconds; empty for anything else, a leap second included. */
    public static Optional<Instant> parse(String text) {
        var matcher = RFC_3339.matcher(text.toUpperCase(Locale.ROOT));
        if (!matcher.matches()) {
            return Optional.empty();
        }
        String fraction = matcher.group(2) == null ? "" : matcher.group(2);
        String cut = fraction.substring(0, Math.min(fraction.length(), FINEST_DIGITS));
        try {
            OffsetDateTime read = OffsetDateTime.parse(matcher.group(1) + cut + matcher.group(3));
            return Optional.of(micros(read.toInstant()));
        } catch (DateTimeException notADate) {
            return Optional.empty();
        }
    }
}
