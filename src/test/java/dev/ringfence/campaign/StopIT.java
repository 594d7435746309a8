package dev.ringfence.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.ServerProcess;
import dev.ringfence.harness.TestDatabase;
import dev.ringfence.harness.TestReceiver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server that is asked to stop lets the requests under way land, starts no more, and leaves nothing to reconcile. */
class StopIT {
    private static final int EVENTS = 400;
    /** A node that has answers from nobody yet begins with few. */
    private static final int UNDER_WAY = 10;

    private static final int SUBSCRIPTIONS = 5;

    @Test
    @Tag("AT-2")
    @Tag("AT-5")
    void what_is_under_way_lands_and_the_rest_waits_for_the_next_start() throws Exception {
        try (TestDatabase database = TestDatabase.empty();
                TestReceiver receiver = TestReceiver.start();
                ServerProcess server = Campaign.node("stops", database).start()) {
            CountDownLatch stopping = new CountDownLatch(1);
            receiver.answering(request -> TestReceiver.Answer.status(200).heldBy(stopping));
            Campaign campaign = Campaign.on(
                    server, receiver, SUBSCRIPTIONS, RingfenceClient.object().put("timeoutMs", 10_000));
            campaign.record(0, EVENTS, SUBSCRIPTIONS);
            Awaitility.await("requests are under way")
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> receiver.count() >= UNDER_WAY);

            CompletableFuture<Void> stop = CompletableFuture.runAsync(server::stop);
            Awaitility.await("it takes no requests any more")
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> !listens(server.port()));
            stopping.countDown();
            stop.get(1, TimeUnit.MINUTES);

            assertThat(attempts(database, "state = 'SENDING'"))
                    .as("attempts left open")
                    .isZero();
            assertThat(attempts(database, "state = 'ACKNOWLEDGED'"))
                    .as("receipts of the requests that were under way, of %s", summary(database))
                    .isEqualTo(receiver.count());

            server.restart();
            campaign.awaitQuiet(database, EVENTS, Duration.ofMinutes(2));
            assertThat(Ledger.read(database, campaign.app).contradictions(receiver.requests(), 6))
                    .isEmpty();
            assertThat(attempts(database, "code = 'ABANDONED'")).isZero();
            assertThat(receiver.count()).as("requests, each event once").isEqualTo(EVENTS);
        }
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException refused) {
            return false;
        }
    }

    private static String summary(TestDatabase database) throws SQLException {
        try (var connection = database.connect();
                var statement = connection.createStatement();
                var rows = statement.executeQuery("""
                        select string_agg(concat_ws(' ', n, state, code), ', ' order by state, code)
                          from (select state, code, count(*) n from delivery_attempts group by state, code) x""")) {
            rows.next();
            return rows.getString(1);
        }
    }

    private static long attempts(TestDatabase database, String condition) {
        return database.number("select count(*) from delivery_attempts where " + condition);
    }
}
