package dev.ringfence.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.ringfence.harness.TestDatabase;
import dev.ringfence.time.NanoClock;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two nodes, each with a pool of its own, fence tenants on one PostgreSQL. */
class TenantFencesIT {

    private static final TestDatabase DATABASE = TestDatabase.empty();
    private static final Duration HOLD = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final UUID APP = UUID.fromString("7b0c9e5e-3c0e-4a55-9f3b-2f8f5d0a1c11");
    private static final FenceKey SHOP = FenceKey.of(APP, "shop");
    private static final FenceKey OTHER = FenceKey.of(APP, "other");

    private final HeldFences holders = new HeldFences();
    private final PinnedPool onePool = new PinnedPool(DATABASE.dataSource(), 4);
    private final PinnedPool otherPool = new PinnedPool(DATABASE.dataSource(), 4);
    private final TenantFences one = node(onePool, 3);
    private final TenantFences other = node(otherPool, 3);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    private TenantFences node(PinnedPool pool, int lendable) {
        return new TenantFences(new PinnedConnections(() -> pool, lendable), new NanoClock(), holders);
    }

    @AfterEach
    void no_lock_is_left() throws SQLException {
        threads.shutdownNow();
        assertThat(locks()).isZero();
        assertThat(holders.connections()).isZero();
        onePool.close();
        otherPool.close();
    }

    @AfterAll
    static void drop() {
        DATABASE.close();
    }

    @Test
    @Tag("FN-1")
    @Tag("FN-2")
    void shared_holders_run_side_by_side_and_an_exclusive_one_alone() {
        try (SharedFence mine = one.trySharedAll(List.of(SHOP), HOLD);
                SharedFence theirs = other.trySharedAll(List.of(SHOP), HOLD)) {
            assertThat(mine.granted()).containsExactly(SHOP);
            assertThat(theirs.granted()).containsExactly(SHOP);
            assertThat(other.exclusive(SHOP, SHORT, HOLD)).isEmpty();
        }
        try (ExclusiveFence alone = one.exclusive(SHOP, SHORT, HOLD).orElseThrow();
                SharedFence rest = other.trySharedAll(List.of(SHOP, OTHER), HOLD)) {
            assertThat(alone.alive()).isTrue();
            assertThat(rest.granted()).containsExactly(OTHER);
            assertThat(one.exclusive(SHOP, SHORT, HOLD)).isEmpty();
        }
    }

    @Test
    @Tag("FN-1")
    void recording_excludes_an_exclusive_holder_and_ends_with_its_transaction() throws SQLException {
        try (Connection transaction = begun()) {
            assertThat(RecordingFence.lockShared(transaction, SHOP, SHORT)).isTrue();
            assertThat(other.exclusive(SHOP, SHORT, HOLD)).isEmpty();
            assertThat(granted(other, SHOP)).isTrue();
            transaction.rollback();
        }
        try (ExclusiveFence alone = other.exclusive(SHOP, SHORT, HOLD).orElseThrow();
                Connection transaction = begun()) {
            assertThat(RecordingFence.lockShared(transaction, SHOP, SHORT)).isFalse();
            transaction.rollback();
            assertThat(alone.alive()).isTrue();
        }
    }

    /** FN-4: both commands travel together, and still the second sees what the exclusive holder committed while the first waited. */
    @Test
    @Tag("FN-4")
    void what_is_read_with_the_fence_was_read_after_it_was_granted() throws SQLException {
        DATABASE.execute(
                "create table public.behind_a_fence (revision bigint); insert into public.behind_a_fence values (1)");
        ExclusiveFence alone = other.exclusive(SHOP, SHORT, HOLD).orElseThrow();
        try (Connection transaction = begun()) {
            CompletableFuture<Optional<Long>> reader =
                    CompletableFuture.supplyAsync(() -> readUnderFence(transaction, LONG), threads);
            await().until(() -> waiting() == 1);

            DATABASE.execute("update public.behind_a_fence set revision = 2");
            alone.close();

            assertThat(reader.join()).contains(2L);
            assertThat(other.exclusive(SHOP, SHORT, HOLD)).isEmpty();
            transaction.rollback();
        } finally {
            alone.close();
        }
        try (ExclusiveFence again = other.exclusive(SHOP, SHORT, HOLD).orElseThrow();
                Connection transaction = begun()) {
            assertThat(readUnderFence(transaction, SHORT)).isEmpty();
            transaction.rollback();
            assertThat(again.alive()).isTrue();
        } finally {
            DATABASE.execute("drop table public.behind_a_fence");
        }
    }

    private static Optional<Long> readUnderFence(Connection transaction, Duration wait) {
        try {
            return RecordingFence.lockSharedAndRead(
                    transaction,
                    SHOP,
                    wait,
                    "select revision from public.behind_a_fence where revision < ?",
                    (statement, first) -> statement.setLong(first, 9),
                    rows -> {
                        rows.next();
                        return rows.getLong(1);
                    });
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    @Test
    @Tag("FN-2")
    void an_exclusive_waiter_is_not_overtaken_and_lets_go_between_its_waits() {
        SharedFence holder = one.trySharedAll(List.of(SHOP), HOLD);
        CompletableFuture<Optional<ExclusiveFence>> waiter =
                CompletableFuture.supplyAsync(() -> one.exclusive(SHOP, LONG, HOLD), threads);

        await().until(() -> waiting() == 1 && !granted(other, SHOP));
        await().until(() -> granted(other, SHOP));
        assertThat(waiter).isNotDone();

        holder.close();
        waiter.join().orElseThrow().close();
    }

    @Test
    @Tag("FN-2")
    void an_exclusive_waiter_gets_through_between_ever_new_shared_holders() {
        AtomicBoolean stop = new AtomicBoolean();
        CountDownLatch busy = new CountDownLatch(2);
        List<CompletableFuture<Void>> holding = List.of(one, other).stream()
                .map(node -> CompletableFuture.runAsync(() -> hold(node, stop, busy), threads))
                .toList();
        busyAwait(busy);

        Optional<ExclusiveFence> granted = one.exclusive(SHOP, LONG, HOLD);

        stop.set(true);
        granted.orElseThrow().close();
        holding.forEach(CompletableFuture::join);
    }

    private static void hold(TenantFences node, AtomicBoolean stop, CountDownLatch busy) {
        while (!stop.get()) {
            try (SharedFence fence = node.trySharedAll(List.of(SHOP), HOLD)) {
                if (!fence.granted().isEmpty()) {
                    busy.countDown();
                }
            }
        }
    }

    @Test
    @Tag("FN-3")
    void a_fence_tells_its_remaining_time_and_bounds_everything_on_its_connection() {
        try (SharedFence fence = one.trySharedAll(List.of(SHOP), HOLD)) {
            assertThat(fence.remaining()).isPositive().isLessThanOrEqualTo(HOLD);
            assertThat(setting(fence, "lock_timeout")).isEqualTo("200ms");
            assertThat(setting(fence, "statement_timeout")).isEqualTo("5s");
            assertThat(setting(fence, "idle_session_timeout")).isEqualTo("40s");
            assertThat(fence.<Integer>onConnection(Connection::getNetworkTimeout))
                    .isEqualTo(8_000);
        }
        assertThat(onPool("statement_timeout")).isEqualTo("0");
        assertThat(onPool("idle_session_timeout")).isEqualTo("0");
    }

    @Test
    @Tag("FN-3")
    void an_overdue_holder_is_counted() {
        try (SharedFence fence = one.trySharedAll(List.of(SHOP, OTHER), Duration.ofNanos(1))) {
            await().until(() -> fence.remaining().isZero());
            assertThat(holders.overdue()).isEqualTo(1);
            assertThat(holders.fences()).isEqualTo(2);
        }
    }

    @Test
    @Tag("FN-4")
    void a_statement_on_the_fence_sees_what_committed_before_the_grant() {
        DATABASE.execute("create schema if not exists ringfence; create table ringfence.seen (v int)");
        try (ExclusiveFence fence = one.exclusive(SHOP, SHORT, HOLD).orElseThrow()) {
            DATABASE.execute("insert into ringfence.seen values (1)");
            assertThat(fence.<Long>onConnection(c -> number(c, "select count(*) from ringfence.seen")))
                    .isEqualTo(1);
        }
    }

    @Test
    @Tag("FN-5")
    @Tag("FN-6")
    void a_killed_backend_loses_the_fence_and_leaves_no_lock() {
        try (SharedFence fence = one.trySharedAll(List.of(SHOP), HOLD)) {
            kill(backend(fence));
            await().until(() -> !fence.alive());
            assertThatThrownBy(() -> fence.onConnection(c -> number(c, "select 1")))
                    .isInstanceOf(FenceLost.class);
            other.exclusive(SHOP, LONG, HOLD).orElseThrow().close();
        }
        assertThat(granted(one, SHOP)).isTrue();
    }

    @Test
    @Tag("FN-5")
    void a_failed_statement_ends_the_backend_although_rollback_frees_nothing() {
        int backend;
        try (SharedFence fence = one.trySharedAll(List.of(SHOP), HOLD)) {
            backend = backend(fence);
            assertThatThrownBy(() -> fence.onConnection(TenantFencesIT::failAndRollBack))
                    .isInstanceOf(FenceLost.class);
            assertThat(locks()).isEqualTo(1);
        }
        assertThat(alive(backend)).isFalse();
    }

    private static long failAndRollBack(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        try {
            return number(connection, "select 1 / 0");
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    @Test
    @Tag("FN-5")
    void an_exception_of_the_holder_leaves_no_lock() {
        assertThatThrownBy(() -> {
                    try (SharedFence fence = one.trySharedAll(List.of(SHOP), HOLD)) {
                        fence.onConnection(c -> {
                            throw new IllegalStateException("the holder's own");
                        });
                    }
                })
                .hasMessage("the holder's own");
    }

    /** D18: the unlock ran elsewhere, answered false, and nobody looked. */
    @Test
    @Tag("FN-5")
    void an_unlock_that_finds_no_lock_ends_the_backend() {
        int backend;
        try (SharedFence fence = one.trySharedAll(List.of(SHOP, OTHER), HOLD)) {
            backend = backend(fence);
            fence.onConnection(c -> number(c, "select count(pg_advisory_unlock_shared(" + SHOP.value() + "))"));
        }
        assertThat(alive(backend)).isFalse();
    }

    /** D18: two locks need two unlocks; a connection goes back to the pool with none. */
    @Test
    @Tag("FN-5")
    void a_lock_that_was_taken_twice_is_not_pooled() {
        int backend;
        try (SharedFence fence = one.trySharedAll(List.of(SHOP), HOLD)) {
            backend = backend(fence);
            fence.onConnection(c -> number(c, "select count(pg_advisory_lock_shared(" + SHOP.value() + "))"));
        }
        assertThat(alive(backend)).isFalse();
        other.exclusive(SHOP, LONG, HOLD).orElseThrow().close();
    }

    @Test
    @Tag("FN-5")
    void a_clean_connection_is_pooled_and_used_again() {
        int first;
        try (SharedFence fence = one.trySharedAll(List.of(SHOP), HOLD)) {
            first = backend(fence);
        }
        try (SharedFence fence = one.trySharedAll(List.of(SHOP), HOLD)) {
            assertThat(backend(fence)).isEqualTo(first);
        }
    }

    @Test
    @Tag("FN-3")
    @Tag("FN-5")
    void an_exhausted_pool_is_an_answer() {
        PinnedPool small = new PinnedPool(DATABASE.dataSource(), 1);
        TenantFences node = node(small, 2);
        try (SharedFence holder = node.trySharedAll(List.of(SHOP), HOLD)) {
            assertThat(holder.granted()).hasSize(1);
            try (SharedFence none = node.trySharedAll(List.of(OTHER), HOLD)) {
                assertThat(none.granted()).isEmpty();
                assertThat(none.alive()).isFalse();
                assertThat(none.remaining()).isZero();
                assertThatThrownBy(() -> none.onConnection(c -> 1)).isInstanceOf(FenceLost.class);
            }
            assertThat(node.exclusive(OTHER, SHORT, HOLD)).isEmpty();
        }
        assertThat(granted(node, OTHER)).isTrue();
    }

    @Test
    @Tag("FN-3")
    void fences_leave_the_pool_a_connection_to_end_backends_with() {
        SharedFence first = one.trySharedAll(List.of(SHOP), HOLD);
        SharedFence second = one.trySharedAll(List.of(SHOP), HOLD);
        SharedFence third = one.trySharedAll(List.of(SHOP), HOLD);
        assertThat(one.exclusive(OTHER, SHORT, HOLD)).isEmpty();

        assertThatThrownBy(() -> third.onConnection(c -> number(c, "no sql"))).isInstanceOf(FenceLost.class);
        third.close();

        assertThat(locks()).isEqualTo(2);
        second.close();
        first.close();
    }

    @Test
    @Tag("FN-9")
    void one_connection_holds_many_tenants_up_to_the_cap() {
        List<FenceKey> many = IntStream.range(0, TenantFences.MOST_KEYS + 44)
                .mapToObj(i -> FenceKey.of(APP, "tenant-" + i))
                .toList();
        try (SharedFence fence = one.trySharedAll(many, HOLD)) {
            assertThat(fence.granted()).hasSize(TenantFences.MOST_KEYS);
            assertThat(holders.connections()).isEqualTo(1);
            FenceKey early = fence.granted().iterator().next();
            fence.release(List.of(early));
            assertThat(fence.granted()).hasSize(TenantFences.MOST_KEYS - 1).doesNotContain(early);
            assertThat(locks()).isEqualTo(TenantFences.MOST_KEYS - 1);
        }
    }

    @Test
    @Tag("FN-9")
    void a_key_named_twice_is_locked_once() {
        try (SharedFence fence = one.trySharedAll(List.of(SHOP, SHOP, FenceKey.of(APP, "shop")), HOLD)) {
            assertThat(fence.granted()).containsExactly(SHOP);
        }
        other.exclusive(SHOP, SHORT, HOLD).orElseThrow().close();
    }

    @Test
    @Tag("FN-5")
    void undeploying_ends_what_is_held() {
        SharedFence forgotten = one.trySharedAll(List.of(SHOP), HOLD);

        one.closeAll();

        assertThat(locks()).isZero();
        assertThat(forgotten.alive()).isFalse();
        forgotten.close();
    }

    @Test
    @Tag("FN-1")
    void the_key_can_be_computed_in_sql() {
        String sql = "select ('x' || left(encode(sha256(int4send(16) || uuid_send('" + APP
                + "') || int4send(octet_length(t)) || t), 'hex'), 16))::bit(64)::bigint"
                + " from convert_to('Läden/東京 €', 'UTF8') t";
        assertThat(DATABASE.number(sql))
                .isEqualTo(FenceKey.of(APP, "Läden/東京 €").value());
    }

    private static Connection begun() throws SQLException {
        Connection connection = DATABASE.connect();
        connection.setAutoCommit(false);
        return connection;
    }

    private static boolean granted(TenantFences node, FenceKey key) {
        try (SharedFence fence = node.trySharedAll(List.of(key), HOLD)) {
            return !fence.granted().isEmpty();
        }
    }

    private static int backend(SharedFence fence) {
        return fence.<Long>onConnection(c -> number(c, "select pg_backend_pid()"))
                .intValue();
    }

    private static String setting(SharedFence fence, String name) {
        return fence.onConnection(c -> show(c, name));
    }

    private String onPool(String name) {
        try (Connection connection = onePool.getConnection()) {
            assertThat(connection.getNetworkTimeout()).isZero();
            return show(connection, name);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String show(Connection connection, String name) throws SQLException {
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery("show " + name)) {
            rows.next();
            return rows.getString(1);
        }
    }

    private static long number(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private static void busyAwait(CountDownLatch latch) {
        await().until(() -> latch.getCount() == 0);
    }

    private static long locks() {
        return DATABASE.number("select count(*) from pg_locks where locktype = 'advisory' and database = "
                + "(select oid from pg_database where datname = current_database())");
    }

    private static long waiting() {
        return DATABASE.number(
                "select count(*) from pg_locks where locktype = 'advisory' and not granted and database = "
                        + "(select oid from pg_database where datname = current_database())");
    }

    private static void kill(int backend) {
        assertThat(DATABASE.number("select pg_terminate_backend(" + backend + ", 5000)::int"))
                .isEqualTo(1);
    }

    private static boolean alive(int backend) {
        return DATABASE.number("select count(*) from pg_stat_activity where pid = " + backend) == 1;
    }
}
