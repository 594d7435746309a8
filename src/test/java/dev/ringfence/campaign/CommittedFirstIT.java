package dev.ringfence.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.ServerProcess;
import dev.ringfence.harness.TestDatabase;
import dev.ringfence.harness.TestReceiver;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * While the receiver still holds its answer, another session already reads the committed reservation of that very request; when
 * all is over there is one request, one reservation and one receipt for each event.
 */
class CommittedFirstIT {
    private static final int EVENTS = 200;
    private static final int SUBSCRIPTIONS = 5;

    @Test
    @Tag("AT-1")
    @Tag("FN-7")
    @Tag("OB-3")
    @Tag("SB-4")
    @Tag("LC-3")
    void the_reservation_is_committed_before_the_receiver_sees_the_request() throws Exception {
        Map<String, Integer> reservedOnArrival = new ConcurrentHashMap<>();
        Map<String, Integer> fencesOnArrival = new ConcurrentHashMap<>();
        try (TestDatabase database = TestDatabase.empty();
                TestReceiver receiver = TestReceiver.start();
                ServerProcess server = Campaign.node("committed", database).start();
                Connection observer = database.connect()) {
            receiver.answering(request -> {
                reservedOnArrival.merge(
                        request.header("webhook-id"), openReservations(observer, request), Integer::sum);
                fencesOnArrival.put(request.header("webhook-id"), sharedFences(observer));
                return TestReceiver.Answer.status(200);
            });
            Campaign campaign = Campaign.on(
                    server, receiver, SUBSCRIPTIONS, RingfenceClient.object().put("timeoutMs", 10_000));
            campaign.record(0, EVENTS, SUBSCRIPTIONS);
            Campaign.awaitQuiet(database, EVENTS, Duration.ofMinutes(2));

            List<TestReceiver.Request> requests = receiver.requests();
            assertThat(requests.size()).isEqualTo(EVENTS);
            assertThat(requests.stream().map(r -> r.header("webhook-id")).distinct())
                    .hasSize(EVENTS);
            assertThat(reservedOnArrival)
                    .hasSize(EVENTS)
                    .allSatisfy((id, open) -> assertThat(open)
                            .as("committed reservations of %s when its request arrived", id)
                            .isEqualTo(1));
            assertThat(fencesOnArrival.values())
                    .as("session fences held while the request ran")
                    .allMatch(n -> n >= 1);
            assertThat(
                            database.number(
                                    "select count(*) from delivery_attempts where state = 'ACKNOWLEDGED' and number = 1 and counted"))
                    .as("receipts")
                    .isEqualTo(EVENTS);
            assertThat(Ledger.read(database).contradictions(requests, 6)).isEmpty();
            assertThat(database.number("select count(*) from outbox_events where request_started_at > recorded_at"))
                    .as("events recorded before their request began")
                    .isZero();
        }
    }

    private static int openReservations(Connection observer, TestReceiver.Request request) {
        return ask(observer, """
                select count(*) from deliveries_live d
                join delivery_attempts a on a.delivery_id = d.id and a.reservation_id = d.reservation_id
                where d.message_id = ? and a.state = 'SENDING'
                """, request.header("webhook-id"));
    }

    private static int sharedFences(Connection observer) {
        return ask(
                observer,
                "select count(*) from pg_locks where locktype = 'advisory' and mode = 'ShareLock' and granted and ? <> ''"
                        + " and database = (select oid from pg_database where datname = current_database())",
                "any");
    }

    private static int ask(Connection observer, String sql, String argument) {
        synchronized (observer) {
            try (PreparedStatement statement = observer.prepareStatement(sql)) {
                statement.setString(1, argument);
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    return row.getInt(1);
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
