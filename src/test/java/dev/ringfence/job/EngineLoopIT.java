package dev.ringfence.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.delivery.DeliveryFixture;
import dev.ringfence.harness.TestReceiver;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The engine without a server around it, against PostgreSQL and over real sockets. */
class EngineLoopIT {
    private static DeliveryFixture fixture;

    @BeforeAll
    static void open() {
        fixture = new DeliveryFixture();
    }

    @AfterAll
    static void close() {
        fixture.close();
    }

    private static long count(long tenant, String state) {
        return fixture.database.number("select count(*) from ringfence.deliveries where tenant_id = " + tenant
                + " and state = '" + state + "'");
    }

    @Test
    @Tag("AT-1")
    void what_is_due_arrives_once() throws Exception {
        long tenant = fixture.tenant("once");
        try (TestReceiver receiver = TestReceiver.start()) {
            for (int i = 0; i < 5; i++) {
                UUID subscription = fixture.subscription(
                        tenant, "AT_LEAST_ONCE", 6, receiver.url("/hook/" + i).toString(), 32);
                fixture.deliveries(tenant, subscription, 100, Instant.now().minusSeconds(1));
            }
            try (EngineLoop engine = new EngineLoop(fixture, Map.of())) {
                Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> count(tenant, "delivered") == 500);
            }
            List<String> bodies =
                    receiver.requests().stream().map(TestReceiver.Request::text).toList();
            assertThat(bodies).hasSize(500).doesNotHaveDuplicates();
        }
    }
}
