package dev.ringfence.time;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.chrono.IsoChronology;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.format.SignStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Instants as the API writes and reads them: RFC 3339, never finer than a microsecond, whatever zone and locale. */
public final class Instants {

    private static final Pattern RFC_3339 = Pattern.compile(
            "[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})");
    /** Years that RFC 3339 and PostgreSQL both can hold. */
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999999Z");

    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");

    private static final DateTimeFormatter FORMAT = new DateTimeFormatterBuilder()
            .appendValue(ChronoField.YEAR, 4, 4, SignStyle.NEVER)
            .appendPattern("-MM-dd'T'HH:mm:ss")
            .appendFraction(ChronoField.NANO_OF_SECOND, 3, 6, true)
            .appendLiteral('Z')
            .toFormatter(Locale.ROOT)
            .withResolverStyle(ResolverStyle.STRICT)
            .withChronology(IsoChronology.INSTANCE);

    private Instants() {}

    /** Cuts (never rounds: a rounded value can lie in the next day) to the microseconds that the database keeps. */
    public static Instant micros(Instant instant) {
        return instant.truncatedTo(ChronoUnit.MICROS);
    }

    /** RFC 3339 in UTC with three to six fractional digits. */
    public static String format(Instant instant) {
        return FORMAT.format(micros(instant).atOffset(ZoneOffset.UTC));
    }

    /**
     * Reads an RFC 3339 date-time with any offset, cut to microseconds; empty where the text is none, names a leap second, or lies
     * outside the years 1 to 9999.
     */
    public static Optional<Instant> parse(String text) {
        if (!RFC_3339.matcher(text).matches()) {
            return Optional.empty();
        }
        try {
            Instant instant =
                    micros(OffsetDateTime.parse(text.toUpperCase(Locale.ROOT)).toInstant());
            return Optional.of(instant).filter(i -> !i.isAfter(LATEST) && !i.isBefore(EARLIEST));
        } catch (DateTimeException notADate) {
            return Optional.empty();
        }
    }
}
