package dev.ringfence.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.ServerProcess;
import dev.ringfence.harness.TestDatabase;
import dev.ringfence.harness.TestReceiver;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What one healthy node promises, seen from the receiver and from the database at the same moment. Each test has an application of its own. */
class OneNodeIT {
    private static final int SUBSCRIPTIONS = 5;
    private static final String CANARY = "zz-canary-7f3";
    private static final String TOKEN = "receiver.token-9c1~";

    private static TestDatabase database;
    private static ServerProcess server;

    @BeforeAll
    static void start() {
        database = TestDatabase.empty();
        server = Campaign.node("one", database).start();
    }

    @AfterAll
    static void stop() {
        server.close();
        database.close();
    }

    @Test
    @Tag("AT-1")
    @Tag("FN-7")
    @Tag("OB-3")
    @Tag("SB-4")
    void the_reservation_is_committed_before_the_receiver_sees_the_request() throws Exception {
        int events = 200;
        Map<String, Integer> reservedOnArrival = new ConcurrentHashMap<>();
        Map<String, Integer> fencesOnArrival = new ConcurrentHashMap<>();
        try (TestReceiver receiver = TestReceiver.start();
                Connection observer = database.connect()) {
            receiver.answering(request -> {
                reservedOnArrival.merge(
                        request.header("webhook-id"), openReservations(observer, request), Integer::sum);
                fencesOnArrival.put(request.header("webhook-id"), sharedFences(observer, request));
                return TestReceiver.Answer.status(200);
            });
            Campaign campaign = Campaign.on(
                    server, receiver, SUBSCRIPTIONS, RingfenceClient.object().put("timeoutMs", 10_000));
            campaign.record(0, events, SUBSCRIPTIONS);
            campaign.awaitQuiet(database, events, Duration.ofMinutes(2));

            List<TestReceiver.Request> requests = receiver.requests();
            assertThat(requests.size()).isEqualTo(events);
            assertThat(requests.stream()
                            .map(r -> r.header("webhook-id"))
                            .distinct()
                            .count())
                    .isEqualTo(events);
            assertThat(reservedOnArrival)
                    .hasSize(events)
                    .allSatisfy((id, open) -> assertThat(open)
                            .as("committed reservations of %s when its request arrived", id)
                            .isEqualTo(1));
            assertThat(fencesOnArrival.values())
                    .as("session fences held while the request ran")
                    .allMatch(n -> n >= 1);
            Ledger ledger = Ledger.read(database, campaign.app);
            assertThat(ledger.contradictions(requests, 6)).isEmpty();
            assertThat(ledger.count("delivered")).isEqualTo(events);
            assertThat(ledger.reservations()).isEqualTo(events);
        }
    }

    @Test
    @Tag("AT-7")
    void history_holds_codes_and_no_word_of_the_receiver() throws Exception {
        try (TestReceiver receiver = TestReceiver.start().answering(request -> switch (request.path()) {
            case "/hook/0" ->
                TestReceiver.Answer.of(400, "{\"error\":\"" + CANARY + "\"}").with("X-Reason", CANARY);
            case "/hook/1" -> TestReceiver.Answer.of(301, CANARY).with("Location", "/" + CANARY);
            case "/hook/2" -> TestReceiver.Answer.of(503, CANARY);
            case "/hook/3" -> TestReceiver.Answer.of(200, CANARY.repeat(1_000));
            default -> TestReceiver.Answer.dropped();
        })) {
            Campaign campaign = Campaign.on(server, receiver, SUBSCRIPTIONS, RingfenceClient.object());
            campaign.record(0, SUBSCRIPTIONS, SUBSCRIPTIONS);
            campaign.awaitQuiet(database, SUBSCRIPTIONS, Duration.ofMinutes(2));

            assertThat(codes(campaign))
                    .containsExactlyInAnyOrder(
                            "REFUSED 400", "REDIRECT 301", "EXHAUSTED 503", "EXHAUSTED 200", "EXHAUSTED null");
            assertThat(everythingOf("delivery_attempts") + everythingOf("deliveries"))
                    .as("what the ledger holds")
                    .contains("ACK_TOO_LARGE", "CONNECTION_BROKEN", "SERVER_ERROR")
                    .doesNotContain(CANARY, "Exception");
            assertThat(logText()).as("the server's log").doesNotContain(CANARY);
        }
    }

    @Test
    @Tag("HT-1")
    @Tag("AT-7")
    void the_receiver_gets_its_token_and_nothing_else_does() throws Exception {
        ObjectNode withToken = RingfenceClient.object();
        withToken.putObject("auth").put("type", "bearer").put("token", TOKEN);
        try (TestReceiver receiver = TestReceiver.start()) {
            receiver.answering(request -> TestReceiver.Answer.status(request.sequence() == 1 ? 503 : 200));
            Campaign campaign = Campaign.on(server, receiver, 1, withToken);
            campaign.record(0, 3, 1);
            campaign.awaitQuiet(database, 3, Duration.ofMinutes(2));

            assertThat(receiver.requests())
                    .hasSize(4)
                    .allSatisfy(request ->
                            assertThat(request.header("Authorization")).isEqualTo("Bearer " + TOKEN));
            assertThat(everythingOf("delivery_attempts") + everythingOf("deliveries"))
                    .doesNotContain(TOKEN);
            assertThat(logText()).doesNotContain(TOKEN);
        }
    }

    @Test
    @Tag("FN-5")
    @Tag("FN-3")
    void an_idle_server_holds_no_lock_and_no_transaction() throws Exception {
        try (TestReceiver receiver = TestReceiver.start()) {
            Campaign campaign = Campaign.on(server, receiver, SUBSCRIPTIONS, RingfenceClient.object());
            campaign.record(0, 100, SUBSCRIPTIONS);
            campaign.awaitQuiet(database, 100, Duration.ofMinutes(1));
            OpenTransactions transactions = new OpenTransactions();
            Awaitility.await("no lock and no open transaction for ten seconds")
                    .pollInterval(Duration.ofMillis(50))
                    .during(Duration.ofSeconds(10))
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> advisoryLocks() == 0 && transactions.stayed().isEmpty());
            assertThat(RingfenceClient.send(
                                    HttpRequest.newBuilder(server.health()).build())
                            .status())
                    .as("readiness")
                    .isEqualTo(200);
        }
    }

    /** What is read under a fence must be newer than the fence, which a snapshot that is kept may not be. */
    @Test
    @Tag("FN-4")
    void transactions_are_read_committed_whatever_the_database_prefers() {
        String setting = "alter database \"" + database.name() + "\" %s default_transaction_isolation%s";
        database.execute(setting.formatted("set", " = 'repeatable read'"));
        try {
            newConnections();
            Awaitility.await("ready with new connections")
                    .atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> {
                        RingfenceClient.Answer health = RingfenceClient.send(
                                HttpRequest.newBuilder(server.health()).build());
                        assertThat(health.status()).as(health.text()).isEqualTo(200);
                        // Payara tells all data as text.
                        assertThat(health.text()).containsPattern("\"readCommitted\" ?: ?\"?true");
                    });
        } finally {
            database.execute(setting.formatted("reset", ""));
            newConnections();
        }
    }

    /** Ends those that the pool of transactions has; each is asked before its next use. */
    private static void newConnections() {
        try (Connection superuser = database.superuser();
                var statement = superuser.createStatement()) {
            statement.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = '"
                    + database.name() + "' and application_name = 'ringfence'");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long advisoryLocks() {
        return database.number("select count(*) from pg_locks where locktype = 'advisory'"
                + " and database = (select oid from pg_database where datname = current_database())");
    }

    /** Between two statements is not idle in transaction: only what two looks in a row find in the same transaction is. */
    private static final class OpenTransactions {
        private Set<String> before = Set.of();

        Set<String> stayed() throws SQLException {
            Set<String> now = Set.copyOf(column("select pid || ' ' || xact_start from pg_stat_activity"
                    + " where datname = current_database() and state like 'idle in transaction%'"));
            Set<String> both = new HashSet<>(now);
            both.retainAll(before);
            before = now;
            return both;
        }
    }

    private static List<String> codes(Campaign campaign) throws SQLException {
        return column("select last_code || ' ' || coalesce(last_status::text, 'null') from deliveries where app_id = '"
                + campaign.app + "'");
    }

    private static String everythingOf(String table) throws SQLException {
        return String.join("\n", column("select row_to_json(t)::text from " + table + " t"));
    }

    private static List<String> column(String sql) throws SQLException {
        try (Connection c = database.connect();
                var statement = c.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> values = new java.util.ArrayList<>();
            while (rows.next()) values.add(rows.getString(1));
            return values;
        }
    }

    private static String logText() throws IOException {
        return Files.readString(server.log(), StandardCharsets.UTF_8);
    }

    private static int openReservations(Connection observer, TestReceiver.Request request) {
        return ask(observer, """
                select count(*) from deliveries_live d
                join delivery_attempts a on a.delivery_id = d.id and a.reservation_id = d.reservation_id
                where d.message_id = ? and a.state = 'SENDING'
                """, request.header("webhook-id"));
    }

    /** Sessions of the pinned pool that hold the fence of the very tenant whose delivery has arrived. */
    private static int sharedFences(Connection observer, TestReceiver.Request request) {
        return ask(observer, """
                select count(*) from pg_locks l
                join pg_stat_activity s on s.pid = l.pid and s.application_name = 'ringfence-pinned'
                join deliveries_live d on d.message_id = ?
                join tenant_lifecycle t on t.tenant_id = d.tenant_id
                where l.locktype = 'advisory' and l.mode = 'ShareLock' and l.granted and l.objsubid = 1
                  and (l.classid::bigint << 32 | l.objid::bigint) = t.fence_key
                """, request.header("webhook-id"));
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
