package dev.ringfence.time;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Lets something through at most once in a while, however often and by however many threads it is asked: for log lines that anybody can cause. */
public final class Seldom {
    private final NanoClock nanos;
    private final long pause;
    private final AtomicLong next;

    public Seldom(NanoClock nanos, Duration pause) {
        this.nanos = nanos;
        this.pause = pause.toNanos();
        this.next = new AtomicLong(nanos.nanos());
    }

    /** True for the first who asks after the pause. */
    public boolean now() {
        long asked = nanos.nanos();
        long due = next.get();
        return due - asked <= 0 && next.compareAndSet(due, asked + pause);
    }
}
