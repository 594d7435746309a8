package dev.ringfence.transport;

import dev.ringfence.time.NanoClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whose lookup runs next. Names that were slow last time share few threads of their own, the least slow first. A lookup of another name
 * that turns out slow leaves its place to the next and goes on beside the others, as long as those are not very many (HT-5).
 */
final class LookupLanes implements AutoCloseable {
    /** From then on a lookup is slow. */
    private static final long SLOW_NANOS = Duration.ofMillis(500).toNanos();

    private static final int QUICK_THREADS = 8;
    private static final int SLOW_THREADS = 3;
    private static final int MOST_TURNED_SLOW = 56;
    /** Of either kind, so that slow ones leave the others their room. */
    private static final int WAITING = 1_000;

    private static final Duration IDLE_THREAD = Duration.ofSeconds(5);

    private final NanoClock clock;
    private final ThreadPoolExecutor threads;
    private final Queue<Turn> waiting = new ArrayDeque<>();
    private final Queue<Turn> slowWaiting = new PriorityQueue<>(Comparator.comparingLong(turn -> turn.before));
    private final Set<Turn> quick = new HashSet<>();
    private final Set<Turn> turnedSlow = new HashSet<>();
    private final Set<Turn> slow = new HashSet<>();

    /**
     * @param took nanoseconds
     * @param at on the clock
     */
    record Answer(Lookup lookup, long at, long took) {}

    /** A lookup that waits or runs. */
    static final class Turn {
        private final long before;
        private final Supplier<Lookup> ask;
        private final Consumer<Answer> told;
        private final CompletableFuture<Lookup> answer = new CompletableFuture<>();
        private final List<Runnable> onBegin = new ArrayList<>();
        private boolean begun;
        private long beganAt;

        private Turn(long before, Supplier<Lookup> ask, Consumer<Answer> told) {
            this.before = before;
            this.ask = ask;
            this.told = told;
            // Who was slow last time keeps itself waiting.
            begun = before >= SLOW_NANOS;
        }

        CompletableFuture<Lookup> answer() {
            return answer;
        }

        /** Runs it at once where the name itself is waited for already. */
        void onBegin(Runnable action) {
            synchronized (this) {
                if (!begun) {
                    onBegin.add(action);
                    return;
                }
            }
            action.run();
        }

        private void begin() {
            List<Runnable> actions;
            synchronized (this) {
                begun = true;
                actions = List.copyOf(onBegin);
            }
            actions.forEach(Runnable::run);
        }
    }

    LookupLanes(NanoClock clock, ThreadFactory factory) {
        this.clock = clock;
        threads = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE, // bounded here
                IDLE_THREAD.toMillis(),
                TimeUnit.MILLISECONDS,
                new SynchronousQueue<>(),
                factory);
    }

    /**
     * Queues a lookup; null where too many of its kind wait.
     *
     * @param before how long it took last time, in nanoseconds
     * @param told of the answer, before anybody who waits for it; on a thread that holds nothing of this
     */
    @Nullable
    Turn queue(long before, Supplier<Lookup> ask, Consumer<Answer> told) {
        Turn turn = new Turn(before, ask, told);
        List<Turn> failed;
        synchronized (this) {
            Queue<Turn> queue = before >= SLOW_NANOS ? slowWaiting : waiting;
            if (queue.size() >= WAITING) {
                return null;
            }
            queue.add(turn);
            failed = advance();
        }
        failed.forEach(this::fail);
        return failed.contains(turn) ? null : turn;
    }

    /** Lets those go on that wait behind lookups which have turned out slow. */
    void tend() {
        List<Turn> failed;
        synchronized (this) {
            failed = advance();
        }
        failed.forEach(this::fail);
    }

    /** Returns those for which there is no thread: we are closing, or the machine has none. */
    private List<Turn> advance() {
        long now = clock.nanos();
        for (Turn turn : List.copyOf(quick)) {
            if (now - turn.beganAt >= SLOW_NANOS && turnedSlow.size() < MOST_TURNED_SLOW) {
                quick.remove(turn);
                turnedSlow.add(turn);
            }
        }
        List<Turn> failed = new ArrayList<>();
        begin(waiting, quick, QUICK_THREADS, now, failed);
        begin(slowWaiting, slow, SLOW_THREADS, now, failed);
        return failed;
    }

    private void begin(Queue<Turn> from, Set<Turn> lane, int most, long now, List<Turn> failed) {
        while (lane.size() < most && !from.isEmpty()) {
            Turn turn = from.remove();
            turn.beganAt = now;
            lane.add(turn);
            try {
                threads.execute(() -> run(turn));
            } catch (RuntimeException | Error noThread) {
                lane.remove(turn);
                failed.add(turn);
            }
        }
    }

    private void fail(Turn turn) {
        Lookup overloaded = new Lookup.Overloaded();
        turn.told.accept(new Answer(overloaded, turn.beganAt, 0));
        turn.answer.complete(overloaded);
    }

    private void run(Turn turn) {
        Lookup lookup = new Lookup.Unknown();
        try {
            turn.begin();
            lookup = turn.ask.get();
        } finally {
            end(turn, lookup);
        }
    }

    private void end(Turn turn, Lookup lookup) {
        long now = clock.nanos();
        turn.told.accept(new Answer(lookup, now, now - turn.beganAt));
        synchronized (this) {
            quick.remove(turn);
            turnedSlow.remove(turn);
            slow.remove(turn);
        }
        tend();
        turn.answer.complete(lookup);
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
