package dev.ringfence.transport;

import dev.ringfence.time.NanoClock;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * Looks names up on threads of its own: the JDK's lookup blocks, perhaps for many seconds. Callers bound their wait; here
 * the number of threads, of waiting names and of remembered ones is bounded. A name is looked up once at a time, and its
 * answer kept for a few seconds; addresses serve a while longer, so that a lookup that takes its time, or waits for its turn,
 * holds up nobody (HT-5). Names whose last lookup took long wait among themselves, see {@link LookupLanes}.
 */
final class NameResolver implements AutoCloseable {
    private static final int REMEMBERED = 10_000;
    private static final long KEEP_NANOS = Duration.ofSeconds(5).toNanos();
    private static final long SERVE_NANOS = Duration.ofMinutes(1).toNanos();

    private final NameService service;
    private final NanoClock clock;
    private final LookupLanes lanes;
    private final Map<String, Name> names = new HashMap<>();

    /** Where answers come from: {@link InetAddress#getAllByName} outside tests. */
    interface NameService {
        InetAddress[] addresses(String host) throws UnknownHostException;
    }

    /** What is known of a name; the resolver guards it. */
    private static final class Name {
        private @Nullable Lookup last;
        private long lastAt;
        private long took;
        private LookupLanes.@Nullable Turn turn;

        private boolean isOlder(long now, long age) {
            return last == null || now - lastAt >= age;
        }
    }

    NameResolver(NameService service, NanoClock clock, ThreadFactory factory) {
        this.service = service;
        this.clock = clock;
        lanes = new LookupLanes(clock, factory);
    }

    /** As {@link #resolve(String, Runnable)}, for who need not know. */
    CompletableFuture<Lookup> resolve(String host) {
        return resolve(host, () -> {});
    }

    /**
     * Found, Unknown or Overloaded; never fails, perhaps never completes within anyone's patience.
     *
     * @param begun runs before the answer comes, once it is the name, and no more a queue of ours, that is waited for
     */
    CompletableFuture<Lookup> resolve(String host, Runnable begun) {
        LookupLanes.Turn turn;
        synchronized (this) {
            long now = clock.nanos();
            Name name = name(host, now);
            if (name == null) {
                return CompletableFuture.completedFuture(new Lookup.Overloaded());
            }
            Lookup last = name.last;
            if (last != null && !name.isOlder(now, KEEP_NANOS)) {
                return CompletableFuture.completedFuture(last);
            }
            if (name.turn == null) {
                name.turn = lanes.queue(name.took, () -> ask(host), answer -> answered(name, answer));
            }
            if (last instanceof Lookup.Found && !name.isOlder(now, SERVE_NANOS)) {
                return CompletableFuture.completedFuture(last);
            }
            turn = name.turn;
        }
        if (turn == null) {
            return CompletableFuture.completedFuture(new Lookup.Overloaded());
        }
        turn.onBegin(begun);
        return turn.answer();
    }

    /** Null where too many are known to get to know another. */
    private @Nullable Name name(String host, long now) {
        if (names.size() > REMEMBERED) {
            names.values().removeIf(one -> one.turn == null && one.isOlder(now, KEEP_NANOS));
        }
        return names.size() > REMEMBERED ? names.get(host) : names.computeIfAbsent(host, one -> new Name());
    }

    private synchronized void answered(Name name, LookupLanes.Answer answer) {
        name.turn = null;
        if (answer.lookup() instanceof Lookup.Overloaded) {
            return;
        }
        name.last = answer.lookup();
        name.lastAt = answer.at();
        name.took = answer.took();
    }

    private Lookup ask(String host) {
        try {
            InetAddress[] addresses = service.addresses(host);
            return addresses.length == 0 ? new Lookup.Unknown() : new Lookup.Found(List.of(addresses));
        } catch (UnknownHostException | RuntimeException e) {
            return new Lookup.Unknown();
        }
    }

    /** Lets names go on that wait behind lookups which have turned out slow. Call it now and then. */
    void tend() {
        lanes.tend();
    }

    @Override
    public void close() {
        lanes.close();
    }
}
