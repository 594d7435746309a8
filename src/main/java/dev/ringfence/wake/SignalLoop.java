package dev.ringfence.wake;

import dev.ringfence.background.Background;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs a piece of work on one thread of this node; signals that come meanwhile make one more run, however many they are. */
final class SignalLoop {
    private final Background background;
    private final Runnable work;
    private final AtomicInteger signals = new AtomicInteger();

    /** @param work does all that there is to do; what it throws ends the run, not the loop */
    SignalLoop(Background background, Runnable work) {
        this.background = background;
        this.work = work;
    }

    /** There may be something to do. Returns at once; a server that takes no more work leaves it to a later signal. */
    void signal() {
        if (signals.getAndIncrement() == 0) {
            try {
                background.run(this::run);
            } catch (RuntimeException stopping) {
                signals.set(0);
            }
        }
    }

    /** Whether a run is under way or about to begin. */
    boolean busy() {
        return signals.get() > 0;
    }

    private void run() {
        boolean rest = false;
        try {
            while (!rest) {
                int seen = signals.get();
                work.run();
                rest = signals.compareAndSet(seen, 0);
            }
        } finally {
            if (!rest) {
                signals.set(0);
            }
        }
    }
}
