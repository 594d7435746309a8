package dev.ringfence.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.config.DataSources;
import dev.ringfence.harness.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The way in to an empty installation, against several nodes that are asked at once, each with its own first key. */
@Tag("SC-1")
class BootstrapKeyIT {

    private static final TestDatabase DATABASE = TestDatabase.migrated();
    private static final int NODES = 4;

    @AfterAll
    static void drop() {
        DATABASE.close();
    }

    @Test
    void ofSeveralFirstKeysOneIsTakenAndNoneEverAfter() throws Exception {
        CyclicBarrier together = new CyclicBarrier(NODES);
        ExecutorService pool = Executors.newFixedThreadPool(NODES);
        try {
            List<CompletableFuture<Boolean>> nodes = IntStream.range(0, NODES)
                    .mapToObj(node ->
                            CompletableFuture.supplyAsync(() -> take("first-key-of-node-" + node, together), pool))
                    .toList();
            long taken = nodes.stream().filter(CompletableFuture::join).count();

            assertThat(taken).isEqualTo(1);
        } finally {
            pool.shutdown();
        }
        DATABASE.execute("update ringfence.api_keys set revoked_at = now()");
        assertThat(take("one-more-first-key", new CyclicBarrier(1))).isFalse();
        assertThat(DATABASE.number("select count(*) from ringfence.api_keys")).isEqualTo(1);
    }

    private static boolean take(String secret, CyclicBarrier together) {
        try (Connection transaction = DATABASE.connect()) {
            transaction.setAutoCommit(false);
            BootstrapKey key = new BootstrapKey(new ApiKeyRepository(always(transaction)), Clock.systemUTC());
            together.await(30, TimeUnit.SECONDS);
            boolean taken = key.take(ApiKeySecret.of(secret));
            transaction.commit();
            return taken;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Every connection is that one, as inside a JTA transaction, and closing it does nothing. */
    private static DataSources always(Connection transaction) {
        ClassLoader loader = BootstrapKeyIT.class.getClassLoader();
        Object handle =
                Proxy.newProxyInstance(loader, new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    try {
                        return method.getName().equals("close") ? null : method.invoke(transaction, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        DataSource source = (DataSource)
                Proxy.newProxyInstance(loader, new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> handle);
        return new DataSources() {
            @Override
            public DataSource jta() {
                return source;
            }
        };
    }
}
