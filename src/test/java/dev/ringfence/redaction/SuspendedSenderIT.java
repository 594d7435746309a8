package dev.ringfence.redaction;

import static dev.ringfence.redaction.RedactionNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.harness.ServerProcess;
import dev.ringfence.harness.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A process that stands still between reservation and first byte while its fence session is ended: the lock no longer protects
 * anybody, and still nothing is sent after the redaction (RD-5).
 */
class SuspendedSenderIT {
    @Test
    @Tag("RD-5")
    @Tag("FN-6")
    void a_suspended_process_that_lost_its_fence_sends_nothing_when_it_wakes() throws Exception {
        try (TestDatabase database = TestDatabase.empty();
                Door door = new Door();
                ServerProcess sender = RedactionNode.named("sender", database).start();
                ServerProcess redactor = RedactionNode.named("redactor", database)
                        .config("ringfence.delivery.enabled", "false")
                        .start()) {
            RedactionNode node = RedactionNode.on(redactor);
            String epoch = node.admin.enrol(node.app, "shop");
            node.subscribe("shop", node.subscription(door.url()).put("timeoutMs", 10_000));
            node.record("shop", epoch, 1).expect(202);
            await().pollInterval(Duration.ofMillis(10))
                    .atMost(PATIENCE)
                    .until(() ->
                            database.number("select count(*) from delivery_attempts where state = 'SENDING'") == 1);
            await("it is connecting")
                    .pollInterval(Duration.ofMillis(10))
                    .atMost(PATIENCE)
                    .until(door::knocked);
            signal("STOP", sender);
            Instant sendBy = Instant.ofEpochMilli(
                    database.number("select extract(epoch from send_by) * 1000 from delivery_attempts"));
            assertThat(database.number(
                            "select count(pg_terminate_backend(pid, 5000)) from (select distinct l.pid from pg_locks l"
                                    + " join pg_database d on d.oid = l.database where d.datname = current_database()"
                                    + " and l.locktype = 'advisory' and l.objsubid = 1 and l.mode = 'ShareLock') x"))
                    .isEqualTo(1);
            String id = node.redact("shop").expect(202).body().path("id").asText();
            door.open();
            JsonNode done = node.await(id, "DONE");

            assertThat(Instant.parse(done.path("boundary").asText()))
                    .as("it waited until nobody may send any more")
                    .isAfter(sendBy);
            assertThat(done.path("unresolved").asInt()).isEqualTo(1);
            await("its kernel has the connection").atMost(PATIENCE).until(door::passed);
            signal("CONT", sender);
            await("it lets go of the connection").atMost(PATIENCE).until(door::left);
            assertThat(door.bytes()).as("bytes that came through the door").isZero();
            assertThat(database.number("select count(*) from unresolved_markers where resolved_at is null"))
                    .as("what the ledger could not know stays disclosed")
                    .isEqualTo(1);
            assertThat(database.number("select count(*) from deliveries")).isZero();
        }
    }

    private static void signal(String name, ServerProcess server) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(server.pid())).start();
        assertThat(kill.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(kill.exitValue()).isZero();
    }

    /** A listening socket that is full, so that connecting to it hangs, until it is opened. */
    private static final class Door implements AutoCloseable {
        private final ServerSocket socket;
        private final List<Socket> fillers = new ArrayList<>();
        private final List<Socket> accepted = new CopyOnWriteArrayList<>();
        private final AtomicInteger bytes = new AtomicInteger();
        private final AtomicInteger gone = new AtomicInteger();

        Door() throws IOException {
            socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            for (int i = 0; i < 4; i++) {
                Socket filler = new Socket();
                fillers.add(filler);
                try {
                    filler.connect(new InetSocketAddress(socket.getInetAddress(), socket.getLocalPort()), 300);
                } catch (IOException full) {
                    break;
                }
            }
        }

        URI url() {
            return URI.create("http://127.0.0.1:" + socket.getLocalPort() + "/hook");
        }

        /** From now on the kernel completes the connections that wait, even of a process that stands still. */
        void open() {
            run(() -> {
                while (!socket.isClosed()) {
                    Socket one = socket.accept();
                    accepted.add(one);
                    run(() -> read(one));
                }
            });
        }

        /** Whether somebody waits for the connection, as the kernel knows: a socket in SYN_SENT towards this port. */
        boolean knocked() throws IOException {
            String waiting = String.format(":%04X 02 ", socket.getLocalPort());
            for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
                if (Files.readString(Path.of(table)).contains(waiting)) {
                    return true;
                }
            }
            return false;
        }

        /** Whether somebody has come through besides the test itself. */
        boolean passed() {
            return accepted.size()
                    > fillers.stream().filter(Socket::isConnected).count();
        }

        /** Whether somebody who came through has gone; the test itself stays. */
        boolean left() {
            return gone.get() > 0;
        }

        /** What came over all connections until now. */
        int bytes() {
            return bytes.get();
        }

        private void read(Socket one) {
            try {
                while (one.getInputStream().read() >= 0) {
                    bytes.incrementAndGet();
                }
            } catch (IOException reset) {
                // gone as well
            }
            gone.incrementAndGet();
        }

        private static void run(Work work) {
            Thread thread = new Thread(() -> {
                try {
                    work.run();
                } catch (IOException closed) {
                    // the test is over
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        private interface Work {
            void run() throws IOException;
        }

        @Override
        public void close() throws IOException {
            for (Socket filler : fillers) {
                filler.close();
            }
            for (Socket one : accepted) {
                one.close();
            }
            socket.close();
        }
    }
}
