package dev.ringfence.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class EnvelopeTest {
    private static final String PAYLOAD =
            "{\"zebra\":1, \"log\":\"\\u001B[31m é\",\n \"alpha\":1e3,\"z\":-0,\"big\":123456789012345678901234567890.10}";

    private static Envelope full() {
        return new Envelope(
                UUID.fromString("0b54c1e6-6c3b-4c6f-9a3f-2d5d7a1f3e10"),
                "evt_2abc",
                ((EventName.Parsed.Valid) EventName.parse("shop.order.placed.v2")).name(),
                Instant.parse("2026-06-03T23:59:59.999999999Z"),
                Instant.parse("2026-06-04T00:00:00Z"),
                "order",
                "order-\"7\"\u0001\u2028é😀",
                "ws-1",
                "rel-1",
                RawJson.of("{\"type\":\"user\",\"id\":\"u1\"}"),
                "cor_x",
                "req_y",
                "op-1",
                RawJson.of(PAYLOAD),
                RawJson.EMPTY_OBJECT,
                null);
    }

    private static Envelope least() {
        Envelope full = full();
        return new Envelope(
                full.appId(),
                full.eventId(),
                full.name(),
                full.occurredAt(),
                full.recordedAt(),
                full.aggregateType(),
                full.aggregateId(),
                null,
                null,
                full.actor(),
                full.correlationId(),
                full.causationId(),
                null,
                full.payload(),
                full.metadata(),
                null);
    }

    @Test
    @Tag("EV-3")
    void the_bytes_are_those_of_the_golden_file() throws IOException {
        try (var golden =
                Objects.requireNonNull(EnvelopeTest.class.getResourceAsStream("/outbox/envelope.golden.json"))) {
            assertThat(new String(full().bytes(), StandardCharsets.UTF_8))
                    .isEqualTo(new String(golden.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @Test
    @Tag("EV-3")
    void an_absent_value_leaves_its_field_out() {
        assertThat(new String(least().bytes(), StandardCharsets.UTF_8))
                .doesNotContain("workspaceId", "relationshipId", "idempotencyKey", "null");
    }

    @Test
    @Tag("RC-5")
    void the_payload_is_the_producers_own_text() {
        assertThat(new String(full().bytes(), StandardCharsets.UTF_8)).contains("\"payload\":" + PAYLOAD + ",");
    }
}
