package dev.ringfence.time;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Runs as the real one, and can be moved on, as for a process that was suspended. */
public final class SteerableNanoClock extends NanoClock {
    private final AtomicLong ahead = new AtomicLong();

    @Override
    public long nanos() {
        return super.nanos() + ahead.get();
    }

    public void advance(Duration by) {
        ahead.addAndGet(by.toNanos());
    }
}
