package dev.ringfence.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ringfence.delivery.DeliveryFixture;
import dev.ringfence.harness.TestReceiver;
import dev.ringfence.harness.TestReceiver.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the engine drops when a redaction tells it to. */
class CancelledTenantsIT {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private DeliveryFixture fixture;
    private TestReceiver receiver;
    private long tenant;

    @BeforeEach
    void open() {
        fixture = new DeliveryFixture();
        receiver = TestReceiver.start();
        tenant = fixture.tenant("shop");
    }

    @AfterEach
    void close() {
        receiver.close();
        fixture.close();
    }

    private long delivery(long of, String url) {
        UUID subscription = fixture.subscription(of, "AT_LEAST_ONCE", 6, url, 32);
        return fixture.deliveries(of, subscription, 1, Instant.now().minusSeconds(1))
                .get(0);
    }

    @Test
    @Tag("RD-1")
    @Tag("AT-4")
    void a_request_whose_first_byte_has_left_becomes_uncertain_at_once() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        receiver.answering(request -> Answer.status(200).heldBy(never));
        long delivery = delivery(tenant, receiver.url("/hook").toString());
        try (EngineLoop engine = new EngineLoop(fixture, Map.of())) {
            await().atMost(PATIENCE).until(() -> receiver.count() == 1 && engine.cancelled.inFlight() == 1);

            engine.cancelled.cancel(List.of(tenant));

            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(fixture.ledger(delivery)).isEqualTo("1:UNCERTAIN/REDACTED"));
            assertThat(engine.cancelled.inFlight()).isZero();
        } finally {
            never.countDown();
        }
    }

    @Test
    @Tag("RD-1")
    @Tag("AT-4")
    void a_request_that_has_not_begun_is_cancelled_and_its_delivery_ends() throws Exception {
        List<Socket> fillers = new ArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            fill(full, fillers);
            long delivery = delivery(tenant, "http://127.0.0.1:" + full.getLocalPort() + "/hook");
            try (EngineLoop engine = new EngineLoop(fixture, Map.of())) {
                await().atMost(PATIENCE).until(() -> engine.cancelled.inFlight() == 1);

                engine.cancelled.cancel(List.of(tenant));

                await().atMost(PATIENCE)
                        .untilAsserted(
                                () -> assertThat(fixture.ledger(delivery)).isEqualTo("1:CANCELLED/REDACTED"));
                assertThat(fixture.delivery(delivery, "state || last_code")).isEqualTo("failedREDACTED");
            }
        } finally {
            for (Socket filler : fillers) {
                filler.close();
            }
        }
    }

    @Test
    @Tag("RD-1")
    void nothing_of_the_tenant_takes_off_for_a_while_and_the_others_are_served() throws Exception {
        try (EngineLoop engine = new EngineLoop(fixture, Map.of())) {
            engine.cancelled.cancel(List.of(tenant));
            long refused = delivery(tenant, receiver.url("/refused").toString());
            long served =
                    delivery(fixture.tenant("other"), receiver.url("/served").toString());
            engine.feed.signal();

            await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThat(fixture.delivery(served, "state")).isEqualTo("delivered"));
            assertThat(fixture.ledger(refused)).isNull();
            assertThat(engine.cancelled.refuses(tenant)).isTrue();
        }
    }

    /** Until connecting hangs. */
    private static void fill(ServerSocket socket, List<Socket> fillers) {
        try {
            for (int i = 0; i < 4; i++) {
                Socket filler = new Socket();
                fillers.add(filler);
                filler.connect(new InetSocketAddress(socket.getInetAddress(), socket.getLocalPort()), 300);
            }
        } catch (IOException full) {
            assertThat(fillers).as("connections before the socket was full").isNotEmpty();
        }
    }
}
