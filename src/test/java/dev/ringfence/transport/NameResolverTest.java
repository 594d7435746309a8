package dev.ringfence.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ringfence.time.SteerableNanoClock;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
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
            assertThat(asked).hasValue(2);
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

    private InetAddress[] loopback(String host) {
        asked.incrementAndGet();
        return new InetAddress[] {InetAddress.getLoopbackAddress()};
    }
}
