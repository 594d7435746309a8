package dev.ringfence.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.ServerProcess;
import dev.ringfence.harness.TestDatabase;
import dev.ringfence.harness.TestReceiver;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server that has delivered and now has nothing to do holds no advisory lock and no open transaction. */
class IdleIT {
    @Test
    @Tag("FN-5")
    @Tag("FN-3")
    void an_idle_server_holds_no_lock_and_no_transaction() throws Exception {
        try (TestDatabase database = TestDatabase.empty();
                TestReceiver receiver = TestReceiver.start();
                ServerProcess server = Campaign.node("idle", database).start()) {
            Campaign campaign = Campaign.on(server, receiver, 5, RingfenceClient.object());
            campaign.record(0, 200, 5);
            Campaign.awaitQuiet(database, 200, Duration.ofMinutes(1));
            Awaitility.await("no lock and no open transaction for ten seconds")
                    .pollInterval(Duration.ofMillis(50))
                    .during(Duration.ofSeconds(10))
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> advisoryLocks(database) == 0 && idleInTransaction(database) == 0);
            assertThat(server.isRunning()).isTrue();
        }
    }

    private static long advisoryLocks(TestDatabase database) {
        return database.number("select count(*) from pg_locks where locktype = 'advisory'"
                + " and database = (select oid from pg_database where datname = current_database())");
    }

    /** In the middle of a statement pair is not idle: only what has waited for longer than a blink counts. */
    private static long idleInTransaction(TestDatabase database) {
        return database.number(
                "select count(*) from pg_stat_activity where datname = current_database()"
                        + " and state like 'idle in transaction%' and state_change < clock_timestamp() - interval '500 milliseconds'");
    }
}
