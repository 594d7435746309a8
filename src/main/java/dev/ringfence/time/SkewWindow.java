package dev.ringfence.time;

import dev.ringfence.time.Skew.Status;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;

/** The recent measurements, and what they say together: the worst of them counts. */
final class SkewWindow {

    static final Duration STALE_AFTER = Duration.ofSeconds(10);

    private static final int SAMPLES = 8;
    private static final Duration REMEMBERED = Duration.ofSeconds(20);

    private final Duration permitted;
    private final Deque<ClockSample> samples = new ArrayDeque<>();

    SkewWindow(Duration permitted) {
        this.permitted = permitted;
    }

    synchronized void add(ClockSample sample) {
        samples.addLast(sample);
        while (samples.size() > SAMPLES || older(samples.getFirst(), sample.receivedNanos(), REMEMBERED)) {
            samples.removeFirst();
        }
    }

    synchronized Skew at(long nanos) {
        if (samples.isEmpty()) {
            return Skew.NONE;
        }
        Duration bound = samples.stream()
                .map(ClockSample::bound)
                .max(Comparator.naturalOrder())
                .orElseThrow();
        Duration offset = samples.stream()
                .min(Comparator.comparing(ClockSample::roundTrip))
                .orElseThrow()
                .offset();
        ClockSample latest = samples.getLast();
        return new Skew(status(latest, nanos, bound), bound, offset, latest.database());
    }

    private Status status(ClockSample latest, long nanos, Duration bound) {
        if (older(latest, nanos, STALE_AFTER)) {
            return Status.STALE;
        }
        return bound.compareTo(permitted) > 0 ? Status.EXCEEDED : Status.MEASURED;
    }

    private static boolean older(ClockSample sample, long nanos, Duration age) {
        return nanos - sample.receivedNanos() > age.toNanos();
    }
}
