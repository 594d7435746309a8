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

/**
 * A commit on one node wakes the others. Their timers look once a minute here, so of several events in a row, each with a quarter of
 * that for its way, a timer can carry one at most.
 */
class OtherNodesIT {
    private static final String ONCE_A_MINUTE = "60000";
    private static final Duration A_QUARTER = Duration.ofSeconds(15);
    private static final int EVENTS = 3;

    @Test
    @Tag("AD-6")
    @Tag("OB-2")
    void what_a_node_records_that_delivers_nothing_wakes_one_that_does() throws Exception {
        try (TestDatabase database = TestDatabase.empty();
                TestReceiver receiver = TestReceiver.start();
                ServerProcess recording = Campaign.node("records", database)
                        .config("ringfence.delivery.enabled", "false")
                        .start();
                ServerProcess delivering = Campaign.node("delivers", database)
                        .config("ringfence.delivery.poll-ms", ONCE_A_MINUTE)
                        .start()) {
            Campaign campaign =
                    Campaign.on(recording, receiver, 1, RingfenceClient.object().put("timeoutMs", 10_000));
            awaitListener(database);
            for (int number = 0; number < EVENTS; number++) {
                campaign.record(number, number + 1, 1);
                campaign.awaitQuiet(database, number + 1, A_QUARTER);
            }
            assertThat(delivering.isRunning()).isTrue();
            assertThat(database.number("select count(*) from deliveries where state = 'delivered'"))
                    .isEqualTo(EVENTS);
            assertThat(database.number("select count(*) from delivery_attempts where node <> 'delivers'"))
                    .isZero();
        }
    }

    private static void awaitListener(TestDatabase database) {
        Awaitility.await("the delivering node listens")
                .atMost(Duration.ofMinutes(1))
                .until(() -> database.number(
                                "select count(*) from pg_stat_activity where application_name = 'ringfence-listener' and datname = current_database()")
                        > 0);
    }
}
