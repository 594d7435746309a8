package dev.ringfence.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.ServerProcess;
import dev.ringfence.harness.TestDatabase;
import dev.ringfence.harness.TestReceiver;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two servers on one database: requests at the receiver equal reservations, both nodes work, no attempt number is used twice. */
class TwoNodesIT {
    private static final int EVENTS = 2_000;
    private static final int SUBSCRIPTIONS = 20;

    @Test
    @Tag("AD-6")
    @Tag("AT-1")
    @Tag("OB-2")
    @Tag("SB-4")
    void two_nodes_share_the_work_and_double_nothing() throws Exception {
        try (TestDatabase database = TestDatabase.empty();
                TestReceiver receiver = TestReceiver.start();
                ServerProcess first = Campaign.node("two-a", database).start();
                ServerProcess second = Campaign.node("two-b", database).start()) {
            assertThat(second.isRunning()).isTrue();
            Campaign campaign = Campaign.on(
                    first, receiver, SUBSCRIPTIONS, RingfenceClient.object().put("timeoutMs", 10_000));
            campaign.record(0, EVENTS, SUBSCRIPTIONS);
            campaign.awaitQuiet(database, EVENTS, Duration.ofMinutes(3));

            Ledger ledger = Ledger.read(database, campaign.app);
            assertThat(ledger.count("delivered")).isEqualTo(EVENTS);
            assertThat(ledger.contradictions(receiver.requests(), 6)).isEmpty();
            // Each acknowledged attempt is one request; one that the ledger calls uncertain may or may not have
            // arrived. On a
            // machine that keeps up there is none of those, and the three numbers are equal.
            assertThat((long) receiver.count())
                    .as("requests, of %d reservations", ledger.reservations())
                    .isBetween(attempts(database, "state = 'ACKNOWLEDGED'"), ledger.reservations());
            assertThat(attempts(database, "state not in ('ACKNOWLEDGED', 'UNCERTAIN', 'NOT_SENT', 'RELEASED')"))
                    .as("attempts that a healthy receiver cannot have caused")
                    .isZero();
            assertThat(
                            database.number(
                                    "select count(*) from (select 1 from delivery_attempts group by delivery_id, cycle, number having count(*) > 1) x"))
                    .isZero();
            assertThat(database.number("select count(distinct node) from delivery_attempts"))
                    .as("nodes that delivered")
                    .isEqualTo(2);
        }
    }

    private static long attempts(TestDatabase database, String condition) {
        return database.number("select count(*) from delivery_attempts where " + condition);
    }
}
