package dev.ringfence.campaign;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.ServerProcess;
import dev.ringfence.harness.TestDatabase;
import dev.ringfence.harness.TestReceiver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.file.Files;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A server that is asked to stop lets the requests under way land, gives back what has not begun, starts no more, and leaves nothing
 * to reconcile. Its JVM has an encoding of its own that cannot say what the events contain.
 */
class StopIT {
    private static final int EVENTS = 400;
    /** A node that has answers from nobody yet begins with few. */
    private static final int UNDER_WAY = 10;

    private static final int SUBSCRIPTIONS = 5;
    private static final String TO_DEAF =
            "delivery_id in (select id from deliveries where url like 'http://127.0.0.1:%d/%%')";
    private static final String WAITS = "waiting for what is under way";
    private static final String ENCODING = "-Dfile.encoding=ISO-8859-1";

    @Test
    @Tag("AT-2")
    @Tag("AT-3")
    @Tag("AT-5")
    @Tag("OB-4")
    void what_is_under_way_lands_and_the_rest_waits_for_the_next_start() throws Exception {
        try (TestDatabase database = TestDatabase.empty();
                TestReceiver receiver = TestReceiver.start();
                DeafPort deaf = new DeafPort();
                ServerProcess server = Campaign.node("stops", database)
                        .env("JDK_JAVA_OPTIONS", ENCODING)
                        .build()) {
            // What a former run of this test said there is not this one's.
            Files.deleteIfExists(server.log());
            server.start();
            CountDownLatch stopping = new CountDownLatch(1);
            receiver.answering(request -> TestReceiver.Answer.status(200).heldBy(stopping));
            ObjectNode more = RingfenceClient.object().put("timeoutMs", 10_000);
            Campaign campaign = Campaign.on(server, receiver, SUBSCRIPTIONS, more);
            more.putObject("limits").put("inFlight", 3);
            campaign.subscribe(SUBSCRIPTIONS, deaf.url(), more);
            campaign.record(0, EVENTS, SUBSCRIPTIONS + 1);
            Awaitility.await("requests are under way, and others reserved that cannot begin")
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> receiver.count() >= UNDER_WAY
                            && attempts(database, "state = 'SENDING' and " + TO_DEAF.formatted(deaf.port())) > 0);

            CompletableFuture<Void> stop = CompletableFuture.runAsync(server::stop);
            Awaitility.await("it waits for what is under way")
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> said(server, WAITS));
            Awaitility.await("it takes no requests any more")
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> !listens(server.port()));
            goesOnWithoutAnswers(server);
            stopping.countDown();
            stop.get(1, TimeUnit.MINUTES);

            assertThat(attempts(database, "state = 'SENDING'"))
                    .as("attempts left open")
                    .isZero();
            assertThat(attempts(database, "state = 'ACKNOWLEDGED'"))
                    .as("receipts of the requests that were under way, of %s", summary(database))
                    .isEqualTo(receiver.count());
            assertThat(database.number("select count(*) from deliveries where state = 'pending'"))
                    .as("waiting for the next start")
                    .isPositive();

            try (TestReceiver hearing = deaf.hear()) {
                server.restart();
                campaign.awaitQuiet(database, EVENTS, Duration.ofMinutes(2));
                List<TestReceiver.Request> requests = new ArrayList<>(receiver.requests());
                requests.addAll(hearing.requests());
                Ledger ledger = Ledger.read(database, campaign.app);
                assertThat(ledger.contradictions(requests, 6)).isEmpty();
                assertThat(requests)
                        .as("requests, each event once")
                        .hasSize((int) ledger.count("delivered"))
                        .allSatisfy(request -> {
                            assertThat(request.text()).contains(Campaign.NOTE);
                            assertThat(request.header("content-length"))
                                    .isEqualTo(Integer.toString(request.body().length));
                        });
            }
            assertThat(attempts(database, "code = 'ABANDONED'")).isZero();
            assertThat(Files.readString(server.console(), ISO_8859_1)).contains(ENCODING);
            assertThat(Files.readAllLines(server.log(), ISO_8859_1))
                    .as("errors of ours in the log")
                    .noneMatch(line -> line.contains(" ERROR ") && line.contains("ringfence"));
        }
    }

    /** A port whose queue is full: the kernel drops every further handshake, so no connection comes about and none is refused. */
    private static final class DeafPort implements AutoCloseable {
        private final ServerSocket listener;
        private final List<Socket> queued = new ArrayList<>();

        DeafPort() throws IOException {
            listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            boolean room = true;
            while (room) {
                Socket socket = new Socket();
                queued.add(socket);
                try {
                    socket.connect(listener.getLocalSocketAddress(), 500);
                } catch (SocketTimeoutException full) {
                    room = false;
                }
            }
        }

        int port() {
            return listener.getLocalPort();
        }

        URI url() {
            return URI.create("http://127.0.0.1:" + port() + "/hook/deaf");
        }

        /** From now on somebody listens. */
        TestReceiver hear() throws IOException {
            close();
            return TestReceiver.start(port());
        }

        @Override
        public void close() throws IOException {
            for (Socket socket : queued) {
                socket.close();
            }
            listener.close();
        }
    }

    /** Gives a server that does not wait the time to be gone; one that does needs none, and has some left after this. */
    private static void goesOnWithoutAnswers(ServerProcess server) throws Exception {
        try {
            server.ended().get(2, TimeUnit.SECONDS);
        } catch (TimeoutException waits) {
            // As it should.
        }
    }

    private static boolean said(ServerProcess server, String words) throws IOException {
        return Files.readString(server.log(), ISO_8859_1).contains(words);
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
