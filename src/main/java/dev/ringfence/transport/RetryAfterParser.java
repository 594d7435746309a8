package dev.ringfence.transport;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code Retry-After} (AT-6): ASCII digits, or a date in one of HTTP's three forms. What is neither is no such
 * header. Written out by hand: the JDK's number parser takes signs and other scripts' digits, and its date formatter one
 * of the three forms.
 */
final class RetryAfterParser {
    private static final String MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
    private static final String TIME = "(?<h>\\d{2}):(?<m>\\d{2}):(?<s>\\d{2})";
    private static final Pattern SECONDS = Pattern.compile("[0-9]+");
    private static final Pattern IMF_FIXDATE = Pattern.compile(
            "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\\d{4}) " + TIME + " GMT");
    private static final Pattern RFC_850 = Pattern.compile(
            "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\\d{2}) " + TIME
                    + " GMT");
    private static final Pattern ASCTIME = Pattern.compile(
            "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?<month>[A-Z][a-z]{2}) (?<day>[ \\d]\\d) " + TIME + " (?<year>\\d{4})");
    private static final int LONGEST_LONG = 18;
    private static final int CENTURY = 100;
    private static final int HALF_CENTURY = 50;

    private RetryAfterParser() {}

    /**
     * The longest wait that any of the lines asks for.
     *
     * @param now what seconds are counted from, and what two-digit years are near to
     * @return null where no line asks for one
     */
    static @Nullable RetryAfter longest(List<String> lines, Instant now) {
        RetryAfter longest = null;
        for (String line : lines) {
            RetryAfter one = parse(line, now);
            if (one != null && (longest == null || wait(one, now).compareTo(wait(longest, now)) > 0)) {
                longest = one;
            }
        }
        return longest;
    }

    private static Duration wait(RetryAfter retryAfter, Instant now) {
        return retryAfter instanceof RetryAfter.At at
                ? Duration.between(now, at.moment())
                : Duration.ofSeconds(((RetryAfter.Seconds) retryAfter).seconds());
    }

    private static @Nullable RetryAfter parse(String line, Instant now) {
        String value = line.strip();
        if (SECONDS.matcher(value).matches()) {
            String digits = value.replaceFirst("^0+(?=.)", "");
            return new RetryAfter.Seconds(digits.length() > LONGEST_LONG ? Long.MAX_VALUE : Long.parseLong(digits));
        }
        for (Pattern form : List.of(IMF_FIXDATE, RFC_850, ASCTIME)) {
            Matcher date = form.matcher(value);
            if (date.matches()) {
                return date(date, now);
            }
        }
        return null;
    }

    private static @Nullable RetryAfter date(Matcher date, Instant now) {
        int month = MONTHS.indexOf(date.group("month"));
        if (month < 0 || month % 3 != 0) {
            return null;
        }
        int year = number(date, "year");
        // A leap second is allowed by the grammar and unknown to java.time: it is the second after :59, never an
        // earlier one.
        int second = number(date, "s") == 60 ? 59 : number(date, "s");
        try {
            LocalDateTime time = LocalDateTime.of(
                    date.group("year").length() == 2 ? fullYear(year, now) : year,
                    month / 3 + 1,
                    number(date, "day"),
                    number(date, "h"),
                    number(date, "m"),
                    second);
            return new RetryAfter.At(
                    time.plusSeconds(number(date, "s") - second).toInstant(ZoneOffset.UTC));
        } catch (DateTimeException e) {
            return null;
        }
    }

    /** RFC 9110: a two-digit year more than 50 years ahead means the past. */
    private static int fullYear(int twoDigits, Instant now) {
        int thisYear = now.atZone(ZoneOffset.UTC).getYear();
        int year = thisYear - thisYear % CENTURY + twoDigits;
        return year > thisYear + HALF_CENTURY ? year - CENTURY : year;
    }

    private static int number(Matcher date, String group) {
        return Integer.parseInt(date.group(group).strip());
    }
}
