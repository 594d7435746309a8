package dev.ringfence.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/** What a test's receivers leave in this process: sockets, and what was sent and received. */
record Leftovers(long sockets, long heap) {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    static Leftovers now() throws IOException {
        return new Leftovers(openSockets(), usedHeap());
    }

    /** Waits until there are no more, but for a tenth of the heap. */
    void awaitNoMore() {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(openSockets()).isLessThanOrEqualTo(sockets));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(usedHeap()).isLessThanOrEqualTo(heap + heap / 10));
    }

    private static long openSockets() throws IOException {
        System.gc();
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(Leftovers::isSocket).count();
        }
    }

    private static boolean isSocket(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
        } catch (IOException e) {
            return false;
        }
    }

    private static long usedHeap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
