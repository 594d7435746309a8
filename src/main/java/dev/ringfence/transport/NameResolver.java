package dev.ringfence.transport;

import dev.ringfence.time.NanoClock;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Looks names up on threads of its own: the JDK's lookup blocks, perhaps for many seconds. Callers bound their wait; here
 * the number of threads, of waiting names and of remembered ones is bounded. A name is looked up once at a time, and its
 * answer kept for a few seconds.
 */
final class NameResolver implements AutoCloseable {
    private static final int THREADS = 8;
    private static final int WAITING = 1_000;
    private static final int REMEMBERED = 10_000;
    private static final Duration IDLE_THREAD = Duration.ofSeconds(5);
    private static final long KEEP_NANOS = Duration.ofSeconds(5).toNanos();

    private final NameService service;
    private final NanoClock clock;
    private final ThreadPoolExecutor threads;
    private final ConcurrentHashMap<String, Entry> entries = new ConcurrentHashMap<>();

    /** Where answers come from: {@link InetAddress#getAllByName} outside tests. */
    interface NameService {
        InetAddress[] addresses(String host) throws UnknownHostException;
    }

    private record Entry(CompletableFuture<Lookup> lookup, long since) {}

    NameResolver(NameService service, NanoClock clock, ThreadFactory factory) {
        this.service = service;
        this.clock = clock;
        threads = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                IDLE_THREAD.toMillis(),
                TimeUnit.MILLISECONDS,
                new ArrayBlockingQueue<>(WAITING),
                factory);
        threads.allowCoreThreadTimeOut(true);
    }

    /** Found, Unknown or Overloaded; never fails, perhaps never completes within anyone's patience. */
    CompletableFuture<Lookup> resolve(String host) {
        if (entries.size() > REMEMBERED) {
            entries.values().removeIf(this::isOver);
        }
        Entry entry = entries.compute(host, (name, known) -> known == null || isOver(known) ? begin(name) : known);
        return entry.lookup();
    }

    private boolean isOver(Entry entry) {
        return entry.lookup().isDone() && clock.nanos() - entry.since() >= KEEP_NANOS;
    }

    private Entry begin(String host) {
        if (entries.size() > REMEMBERED) {
            return overloaded();
        }
        CompletableFuture<Lookup> lookup = new CompletableFuture<>();
        try {
            threads.execute(() -> lookup.complete(ask(host)));
            return new Entry(lookup, clock.nanos());
        } catch (RejectedExecutionException e) {
            return overloaded();
        }
    }

    /** Not to be remembered. */
    private Entry overloaded() {
        return new Entry(CompletableFuture.completedFuture(new Lookup.Overloaded()), clock.nanos() - KEEP_NANOS);
    }

    private Lookup ask(String host) {
        try {
            InetAddress[] addresses = service.addresses(host);
            return addresses.length == 0 ? new Lookup.Unknown() : new Lookup.Found(List.of(addresses));
        } catch (UnknownHostException | RuntimeException e) {
            return new Lookup.Unknown();
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
