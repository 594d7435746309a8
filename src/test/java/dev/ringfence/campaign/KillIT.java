package dev.ringfence.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.ServerProcess;
import dev.ringfence.harness.TestDatabase;
import dev.ringfence.harness.TestReceiver;
import dev.ringfence.harness.TestReceiver.Answer;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * {@code kill -9} at random moments of a run of 2,000 events, each time started again: every event arrives or is dead after six
 * reservations, with the same bytes each time, and nothing goes out that was not reserved. Executions of the Batch job that were killed stand in the way of none that follows.
 */
class KillIT {
    private static final int EVENTS = 2_000;
    private static final int SUBSCRIPTIONS = 20;
    private static final int CEILING = 6;

    @Test
    @Tag("AT-1")
    @Tag("AT-2")
    @Tag("AT-5")
    @Tag("OB-2")
    @Tag("OB-4")
    @Tag("FN-5")
    @Tag("AD-6")
    void three_kills_lose_and_double_nothing() throws Exception {
        run(3);
    }

    @Test
    @Tag("slow")
    @Tag("AT-1")
    void ten_kills_lose_and_double_nothing() throws Exception {
        run(10);
    }

    private static void run(int kills) throws Exception {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        try (TestDatabase database = TestDatabase.empty();
                TestReceiver receiver = TestReceiver.start().answering(unreliable(seed));
                ServerProcess server = Campaign.node("kill-" + kills, database).start()) {
            Campaign campaign = Campaign.on(server, receiver, SUBSCRIPTIONS, RingfenceClient.object());
            CompletableFuture<Void> recording =
                    CompletableFuture.runAsync(() -> campaign.record(0, EVENTS, SUBSCRIPTIONS));
            for (int kill = 1; kill <= kills; kill++) {
                int moment = EVENTS * kill / (kills + 1) - random.nextInt(EVENTS / (2 * kills + 2));
                Awaitility.await("request " + moment)
                        .pollInterval(Duration.ofMillis(5))
                        .atMost(Duration.ofMinutes(3))
                        .until(() -> receiver.count() >= moment);
                server.kill9();
                long killed = database.number("select count(*) from " + server.batchExecutions());
                assertThat(database.number(
                                "select count(*) from " + server.batchExecutions() + " where batchstatus = 'STARTED'"))
                        .as("executions of which the Batch runtime does not know that they are dead")
                        .isPositive();
                server.restart();
                Awaitility.await("an execution follows those that were killed")
                        .atMost(Duration.ofMinutes(3))
                        .until(() -> database.number("select count(*) from " + server.batchExecutions()) > killed);
            }
            recording.get(3, TimeUnit.MINUTES);
            campaign.awaitQuiet(database, EVENTS, Duration.ofMinutes(3));
            Ledger ledger = Ledger.read(database, campaign.app);
            assertThat(ledger.contradictions(receiver.requests(), CEILING))
                    .as("seed %d", seed)
                    .isEmpty();
            assertThat(ledger.size()).as("seed %d", seed).isEqualTo(EVENTS);
            assertThat((long) receiver.count())
                    .as("requests, seed %d", seed)
                    .isLessThanOrEqualTo(ledger.reservations());
            assertThat(
                            database.number(
                                    "select count(*) from (select 1 from delivery_attempts group by delivery_id, cycle, number having count(*) > 1) x"))
                    .isZero();
            assertThat(database.number("select count(*) from delivery_attempts where state = 'SENDING'"))
                    .as("attempts without an outcome, seed %d", seed)
                    .isZero();
        }
    }

    /** Mostly 200; some 503, some broken connections, chosen by the request's number so that a seed tells it again. */
    private static java.util.function.Function<TestReceiver.Request, Answer> unreliable(long seed) {
        return request -> {
            int dice = new Random(seed ^ request.sequence() * 0x9E3779B97F4A7C15L).nextInt(100);
            if (dice < 5) return Answer.status(503);
            if (dice < 8) return Answer.dropped();
            return Answer.status(200);
        };
    }
}
