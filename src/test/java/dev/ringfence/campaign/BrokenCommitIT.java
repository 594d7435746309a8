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
 * Commits that fail, which a transaction manager tells by an exception that no method declares: fan-out, reservations and receipts go
 * on afterwards, and nothing stays in hand.
 */
class BrokenCommitIT {
    private static final int EVENTS = 300;
    private static final int SUBSCRIPTIONS = 3;

    /** Lets some commits fail, counted by a sequence, which no rollback takes back. */
    private static final String BREAK = """
            create sequence ringfence.commits_%1$s_%2$s;
            create function ringfence.fail_%1$s_%2$s() returns trigger language plpgsql as
              $$ begin if nextval('ringfence.commits_%1$s_%2$s') %% 3 = 0 then raise exception 'no commit'; end if; return null; end $$;
            create constraint trigger fail_%1$s_%2$s after %1$s on ringfence.%2$s
              deferrable initially deferred for each row execute function ringfence.fail_%1$s_%2$s();""";

    /** Waits for nobody who uses the table, unlike one that took the trigger away. */
    private static final String MEND = """
            create or replace function ringfence.fail_%1$s_%2$s() returns trigger language plpgsql as
              $$ begin return null; end $$""";

    @Test
    @Tag("AT-2")
    @Tag("AT-5")
    @Tag("OB-2")
    void a_failed_commit_costs_a_repetition_and_no_slot() throws Exception {
        try (TestDatabase database = TestDatabase.empty();
                TestReceiver receiver = TestReceiver.start();
                ServerProcess server = Campaign.node("commits", database)
                        .config("ringfence.delivery.max-attempts", "20")
                        .start()) {
            Campaign campaign = Campaign.on(
                    server, receiver, SUBSCRIPTIONS, RingfenceClient.object().put("timeoutMs", 10_000));
            campaign.record(0, 30, SUBSCRIPTIONS);
            campaign.awaitQuiet(database, 30, Duration.ofMinutes(1));

            breakAndMend(database, "insert", "delivery_attempts", campaign, 30);
            breakAndMend(database, "update", "delivery_attempts", campaign, 120);
            breakAndMend(database, "insert", "delivery_keys", campaign, 210);

            campaign.awaitQuiet(database, EVENTS, Duration.ofMinutes(3));
            Ledger ledger = Ledger.read(database, campaign.app);
            assertThat(ledger.contradictions(receiver.requests(), 6)).isEmpty();
            assertThat(ledger.count("delivered")).isEqualTo(EVENTS);
        }
    }

    private static void breakAndMend(TestDatabase database, String when, String table, Campaign campaign, int from) {
        database.execute(BREAK.formatted(when, table));
        campaign.record(from, from + 90, SUBSCRIPTIONS);
        Awaitility.await("commits failed")
                .atMost(Duration.ofMinutes(1))
                .until(() -> database.number("select last_value from ringfence.commits_" + when + "_" + table) >= 9);
        database.execute(MEND.formatted(when, table));
    }
}
