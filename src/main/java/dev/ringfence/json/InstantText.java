package dev.ringfence.json;

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

/** Instants as text: RFC 3339, UTC, three to six fractional digits. The same in every time zone and locale. */
public final class InstantText {

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

    private InstantText() {}

    /** The text of an instant, cut to microseconds. */
    public static String format(Instant instant) {
        return FORMAT.format(instant.truncatedTo(ChronoUnit.MICROS).atOffset(ZoneOffset.UTC));
    }

    /**
     * Reads an RFC 3339 date-time with any offset, cut to microseconds; empty where the text is none, or lies outside
     * the years 1 to 9999.
     */
    public static Optional<Instant> parse(String text) {
        if (!RFC_3339.matcher(text).matches()) {
            return Optional.empty();
        }
        try {
            Instant instant = OffsetDateTime.parse(text.toUpperCase(Locale.ROOT))
                    .toInstant()
                    .truncatedTo(ChronoUnit.MICROS);
            return Optional.of(instant).filter(i -> !i.isAfter(LATEST) && !i.isBefore(EARLIEST));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
