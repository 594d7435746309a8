package dev.ringfence.config;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Reads single properties and collects what is wrong with them, so that one start reports every fault. A faulty property
 * reads as its default; {@link #failIfFaulty()} sees to it that nobody works with that.
 */
final class SettingReader {

    private static final String SECRET = "(a secret, not shown)";

    private final Function<String, Optional<String>> source;
    private final List<String> faults = new ArrayList<>();

    SettingReader(Function<String, Optional<String>> source) {
        this.source = source;
    }

    Optional<String> text(String name) {
        return source.apply(name).map(String::strip).filter(value -> !value.isEmpty());
    }

    List<String> list(String name, String fallback) {
        return Arrays.stream(text(name).orElse(fallback).split(",", -1))
                .map(String::strip)
                .filter(entry -> !entry.isEmpty())
                .toList();
    }

    boolean flag(String name, boolean fallback) {
        String value = text(name).orElse(Boolean.toString(fallback));
        if (!value.equals("true") && !value.equals("false")) {
            fault(name, value, "true or false");
            return fallback;
        }
        return value.equals("true");
    }

    long number(String name, long fallback, long min, long max) {
        String value = text(name).orElse(Long.toString(fallback));
        return within(name, value, fallback, min, max);
    }

    Duration millis(String name, long fallback, long min, long max) {
        return Duration.ofMillis(number(name, fallback, min, max));
    }

    Duration duration(String name, Duration fallback, Duration min, Duration max) {
        String value = text(name).orElse(fallback.toString());
        String permitted = "an ISO 8601 duration from " + min + " to " + max;
        try {
            Duration parsed = Duration.parse(value);
            if (parsed.compareTo(min) >= 0 && parsed.compareTo(max) <= 0) {
                return parsed;
            }
        } catch (DateTimeException e) {
            // reported below, like a duration out of range
        }
        fault(name, value, permitted);
        return fallback;
    }

    List<Duration> seconds(String name, String fallback, long max, int maxEntries) {
        List<Duration> waits = list(name, fallback).stream()
                .map(entry -> Duration.ofSeconds(within(name, entry, 0, 0, max)))
                .toList();
        if (waits.isEmpty() || waits.size() > maxEntries) {
            fault(name, waits.size() + " entries", "1 to " + maxEntries + " comma-separated numbers of seconds");
        }
        return waits;
    }

    void fault(String name, String value, String permitted) {
        faults.add(name + " is \"" + value + "\", permitted is " + permitted);
    }

    void secretFault(String name, String permitted) {
        fault(name, SECRET, permitted);
    }

    void missing(String name, String permitted) {
        faults.add(name + " is not set, required is " + permitted);
    }

    void failIfFaulty() {
        if (!faults.isEmpty()) {
            throw new InvalidSettings(faults);
        }
    }

    private long within(String name, String value, long fallback, long min, long max) {
        try {
            long parsed = Long.parseLong(value);
            if (parsed >= min && parsed <= max) {
                return parsed;
            }
        } catch (NumberFormatException e) {
            // reported below, like a number out of range
        }
        fault(name, value, "a whole number from " + min + " to " + max);
        return fallback;
    }
}
