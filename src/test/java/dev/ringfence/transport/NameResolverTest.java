package dev.ringfence.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ringfence.time.SteerableNanoClock;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class NameResolverTest {
    private final SteerableNanoClock clock = new SteerableNanoClock();
    private final AtomicInteger asked = new AtomicInteger();

    @Test
    void anAnswerIsKeptForSecondsAndThenAskedForAgain() {
        try (NameResolver resolver = new NameResolver(this::loopback, clock, Thread::new)) {
            resolver.resolve("a.test").join();
            resolver.resolve("a.test").join();
            assertThat(asked).hasValue(1);

            clock.advance(Duration.ofSeconds(6));
            resolver.resolve("a.test").join();
            await().untilAsserted(() -> assertThat(asked).hasValue(2));
        }
    }

    /** The last addresses serve for a minute while somebody asks; what was not found does not. */
    @Test
    @Tag("HT-5")
    void whileALookupTakesItsTimeTheLastAddressesServe() {
        CompletableFuture<Void> answer = CompletableFuture.completedFuture(null);
        AtomicReference<CompletableFuture<Void>> gate = new AtomicReference<>(answer);
        try (NameResolver resolver = new NameResolver(
                host -> {
                    gate.get().join();
                    return host.startsWith("no") ? new InetAddress[0] : loopback(host);
                },
                clock,
                Thread::new)) {
            Lookup found = resolver.resolve("a.test").join();
            assertThat(resolver.resolve("no.test").join()).isEqualTo(new Lookup.Unknown());
            CompletableFuture<Void> closed = new CompletableFuture<>();
            gate.set(closed);

            clock.advance(Duration.ofSeconds(6));
            assertThat(resolver.resolve("a.test")).isCompletedWithValue(found);
            assertThat(resolver.resolve("no.test")).isNotDone();
            clock.advance(Duration.ofSeconds(55));
            assertThat(resolver.resolve("a.test")).isNotDone();
            closed.complete(null);
            assertThat(resolver.resolve("a.test").join()).isInstanceOf(Lookup.Found.class);
        }
    }

    /** Names whose lookups hang, at first on the threads of all, then on few of their own. */
    @Test
    @Tag("HT-5")
    void namesThatHangLeaveTheOthersTheirThreads() throws Exception {
        AtomicReference<CompletableFuture<Void>> gate = new AtomicReference<>(new CompletableFuture<>());
        AtomicInteger hanging = new AtomicInteger();
        try (NameResolver resolver = new NameResolver(
                host -> {
                    if (host.startsWith("hang")) {
                        hanging.incrementAndGet();
                        gate.get().join();
                    }
                    return loopback(host);
                },
                clock,
                Thread::new)) {
            List<CompletableFuture<Lookup>> stuck = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                stuck.add(resolver.resolve("hang" + i + ".test"));
            }
            AtomicInteger begun = new AtomicInteger();
            CompletableFuture<Lookup> healthy = resolver.resolve("healthy.test", begun::incrementAndGet);
            // Eight, the next eight, the rest.
            for (int i = 0; i < 3; i++) {
                clock.advance(Duration.ofSeconds(1));
                resolver.tend();
            }
            assertThat(healthy.get(60, TimeUnit.SECONDS)).isInstanceOf(Lookup.Found.class);
            assertThat(begun).hasValue(1);
            assertThat(stuck).noneMatch(CompletableFuture::isDone);
            gate.get().complete(null);
            stuck.forEach(CompletableFuture::join);

            gate.set(new CompletableFuture<>());
            hanging.set(0);
            clock.advance(Duration.ofMinutes(2));
            for (int i = 0; i < 20; i++) {
                resolver.resolve("hang" + i + ".test");
            }
            for (int i = 0; i < 50; i++) {
                assertThat(resolver.resolve("new" + i + ".test").get(60, TimeUnit.SECONDS))
                        .isInstanceOf(Lookup.Found.class);
            }
            await().untilAsserted(() -> assertThat(hanging).hasValue(3));
            gate.get().complete(null);
        }
    }

    @Test
    void manyWaitersShareOneLookup() {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        try (NameResolver resolver = new NameResolver(
                host -> {
                    answer.join();
                    return loopback(host);
                },
                clock,
                Thread::new)) {
            List<CompletableFuture<Lookup>> waiting = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                waiting.add(resolver.resolve("a.test"));
            }
            answer.complete(null);
            waiting.forEach(CompletableFuture::join);
            assertThat(asked).hasValue(1);
        }
    }

    @Test
    void whatIsTooMuchIsSaidNotQueuedForEver() {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        List<CompletableFuture<Lookup>> lookups = new ArrayList<>();
        try (NameResolver resolver = new NameResolver(
                host -> {
                    answer.join();
                    return loopback(host);
                },
                clock,
                Thread::new)) {
            for (int i = 0; i < 2_000; i++) {
                lookups.add(resolver.resolve(i + ".a.test"));
            }
            assertThat(lookups.get(0)).isNotDone();
            assertThat(lookups.get(1_999)).isCompletedWithValue(new Lookup.Overloaded());
            answer.complete(null);
            await().until(() -> lookups.stream().allMatch(CompletableFuture::isDone));
            assertThat(resolver.resolve("1999.a.test").join()).isInstanceOf(Lookup.Found.class);
        }
    }

    /** Those with slow servers wait for each other, not the others for them. */
    @Test
    @Tag("HT-5")
    void namesWhoseLookupsAreSlowTakeNoPlaceFromTheOthers() {
        long slow = Duration.ofSeconds(2).toNanos();
        Lookup found = new Lookup.Unknown();
        CompletableFuture<Void> gate = new CompletableFuture<>();
        try (LookupLanes lanes = new LookupLanes(clock, Thread::new)) {
            List<LookupLanes.Turn> turns = new ArrayList<>();
            for (int i = 0; i < 1_100; i++) {
                turns.add(lanes.queue(
                        slow,
                        () -> {
                            gate.join();
                            return found;
                        },
                        told -> {}));
            }
            assertThat(turns.get(1_002)).isNotNull();
            assertThat(turns.get(1_003)).isNull();

            LookupLanes.Turn quick = lanes.queue(0, () -> found, told -> {});

            assertThat(quick).isNotNull();
            assertThat(quick.answer().join()).isEqualTo(found);
            gate.complete(null);
        }
    }

    private InetAddress[] loopback(String host) {
        asked.incrementAndGet();
        return new InetAddress[] {InetAddress.getLoopbackAddress()};
    }
}
