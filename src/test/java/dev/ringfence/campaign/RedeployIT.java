package dev.ringfence.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.config.Settings;
import dev.ringfence.harness.JvmProbe;
import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.ServerProcess;
import dev.ringfence.harness.TestDatabase;
import dev.ringfence.harness.TestReceiver;
import java.time.Duration;
import java.util.Map;
import org.assertj.core.api.SoftAssertions;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Ten deployments one after the other in the same server leave nothing of the earlier ones behind. */
class RedeployIT {
    private static final int REDEPLOYMENTS = 10;
    private static final int MOST = 12;

    /** Pools of the server grow to their bounds as they please; what grows with each of eight redeployments is more than this. */
    private static final int LESS_THAN_ONE_EACH = REDEPLOYMENTS - 3;

    /** What is let go a moment after a deployment is gone in one of so many looks; what stays, or grows, is in each of them. */
    private static final int LOOKS = 8;

    private static final int FEW = 4;

    /** Fills up to its bound, a few threads with each execution that starts. */
    private static final int BATCH_THREADS = 20;

    @Test
    @Tag("AD-1")
    @Tag("FN-5")
    void ten_redeployments_leave_no_timer_connection_lock_thread_or_class_loader() throws Exception {
        try (TestDatabase database = TestDatabase.empty();
                TestReceiver receiver = TestReceiver.start();
                ServerProcess server = Campaign.node("redeploys", database)
                        .config("ringfence.node", "")
                        .start()) {
            Campaign campaign = Campaign.on(server, receiver, 1, RingfenceClient.object());
            State second = null;
            State last = null;
            for (int redeployment = 1;
                    redeployment <= REDEPLOYMENTS || !comparable(second, last, redeployment);
                    redeployment++) {
                String node = node(database);
                server.redeploy();
                awaitNext(database, node);
                server.awaitReady();
                campaign.record(redeployment, redeployment + 1, 1);
                campaign.awaitQuiet(database, redeployment, Duration.ofMinutes(1));
                if (redeployment == 2) {
                    second = State.of(server, database, 0);
                } else if (redeployment >= REDEPLOYMENTS) {
                    last = State.of(server, database, most(second));
                }
            }

            SoftAssertions all = new SoftAssertions();
            all.assertThat(last.nodes).as("nodes that beat").isEqualTo(1);
            all.assertThat(last.listeners).as("sessions that listen").isEqualTo(1);
            // The server may keep its last glance at the one before; what leaks with each is there eleven times.
            all.assertThat(last.jvm.copies()).as("applications in memory").isBetween(1L, 2L);
            all.assertThat(last.sessions)
                    .as("sessions after ten, %s after two", second.sessions)
                    .isLessThan(second.sessions + LESS_THAN_ONE_EACH);
            Map<String, Long> before = second.jvm.threads();
            all.assertThat(last.jvm.threads())
                    .as("threads of each name after ten, after two %s", before)
                    .allSatisfy((name, count) -> assertThat(count)
                            .as(name)
                            .isLessThan(
                                    name.contains("atch")
                                            ? BATCH_THREADS + 1
                                            : before.getOrDefault(name, 0L) + LESS_THAN_ONE_EACH));
            all.assertThatCode(() -> awaitNoLock(database)).doesNotThrowAnyException();
            all.assertThat(last.jvm.heap())
                    .as(
                            "bytes reachable after ten with %s applications in memory, %s with %s after two",
                            last.jvm.copies(), second.jvm.heap(), second.jvm.copies())
                    .isLessThan(most(second));
            all.assertAll();
        }
    }

    /**
     * Whether as many applications are in memory as after two: an idle thread of the server may keep its last glance at the one before
     * until it is used again, and one application is a quarter of the heap. A few more redeployments give it the occasion.
     */
    private static boolean comparable(@Nullable State second, @Nullable State last, int redeployment) {
        return redeployment > MOST || second != null && last != null && last.jvm.copies() <= second.jvm.copies();
    }

    /** Ten percent more. */
    private static long most(@Nullable State second) {
        return second == null ? 0 : second.jvm.heap() / 10 * 11;
    }

    private static void awaitNoLock(TestDatabase database) {
        Awaitility.await("no advisory lock is held")
                .atMost(Duration.ofSeconds(30))
                .until(() -> database.number("select count(*) from pg_locks where locktype = 'advisory' and database ="
                                + " (select oid from pg_database where datname = current_database())")
                        == 0);
    }

    private record State(JvmProbe jvm, long sessions, long listeners, long nodes) {
        /** @param enough a heap that needs no further look; without one, the least of a few counts */
        static State of(ServerProcess server, TestDatabase database, long enough) {
            String ours = "select count(*) from pg_stat_activity where datname = current_database()"
                    + " and application_name like 'ringfence%' and application_name <> 'ringfence-test'";
            JvmProbe least = JvmProbe.of(server.pid(), Settings.class.getName());
            for (int look = 1; look < (enough > 0 ? LOOKS : FEW) && least.heap() >= enough; look++) {
                JvmProbe next = JvmProbe.of(server.pid(), Settings.class.getName());
                least = next.heap() < least.heap() ? next : least;
            }
            return new State(
                    least,
                    database.number(ours),
                    database.number(ours + " and application_name = 'ringfence-listener'"),
                    database.number("select count(*) from nodes"));
        }
    }

    /** The name of the node that came last: each deployment makes up its own. */
    private static String node(TestDatabase database) {
        Awaitility.await("a node beats")
                .atMost(Duration.ofMinutes(1))
                .until(() -> database.number("select count(*) from nodes") > 0);
        return database.text("select node from nodes order by started_at desc limit 1");
    }

    private static void awaitNext(TestDatabase database, String before) {
        Awaitility.await("the next deployment beats")
                .atMost(Duration.ofMinutes(3))
                .until(() -> database.number("select count(*) from nodes where node <> '" + before
                                + "' and started_at > (select coalesce(max(started_at), '-infinity') from nodes where node = '"
                                + before + "')")
                        > 0);
    }
}
