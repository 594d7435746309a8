package dev.ringfence.time;

import dev.ringfence.time.Skew.Status;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** The recent measurements, and what they say together: the worst of them counts. */
final class SkewWindow {

    static final Duration STALE_AFTER = Duration.ofSeconds(10);

    private static final int SAMPLES = 8;
    private static final Duration REMEMBERED = Duration.ofSeconds(20);

    private final Duration permitted;
    private final Deque<ClockSample> samples = new ArrayDeque<>();

    /** Every reading of the clock asks for it, so it is worked out once a measurement. */
    private volatile @Nullable Reckoning reckoning;

    /** What the measurements say together; whether that is still true depends on when one asks. */
    private record Reckoning(Duration bound, Duration offset, ClockSample latest) {}

    SkewWindow(Duration permitted) {
        this.permitted = permitted;
    }

    synchronized void add(ClockSample sample) {
        samples.addLast(sample);
        while (samples.size() > SAMPLES || older(samples.getFirst(), sample.receivedNanos(), REMEMBERED)) {
            samples.removeFirst();
        }
        Duration bound = samples.stream()
                .map(ClockSample::bound)
                .max(Comparator.naturalOrder())
                .orElseThrow();
        Duration offset = samples.stream()
                .min(Comparator.comparing(ClockSample::roundTrip))
                .orElseThrow()
                .offset();
        reckoning = new Reckoning(bound, offset, sample);
    }

    Skew at(long nanos) {
        Reckoning known = reckoning;
        return known == null
                ? Skew.NONE
                : new Skew(
                        status(known, nanos),
                        known.bound(),
                        known.offset(),
                        known.latest().database());
    }

    private Status status(Reckoning known, long nanos) {
        if (older(known.latest(), nanos, STALE_AFTER)) {
            return Status.STALE;
        }
        return known.bound().compareTo(permitted) > 0 ? Status.EXCEEDED : Status.MEASURED;
    }

    private static boolean older(ClockSample sample, long nanos, Duration age) {
        return nanos - sample.receivedNanos() > age.toNanos();
    }
}
