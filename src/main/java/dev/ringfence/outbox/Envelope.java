package dev.ringfence.outbox;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.ringfence.time.Instants;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What consumers receive (EV-3). {@link #bytes()} builds the JSON once, in a fixed field order; {@code actor}, {@code payload}
 * and {@code metadata} are the producer's own bytes, so escapes, number spelling and key order arrive as they were submitted
 * (RC-5).
 *
 * @param occurredAt when the fact happened, cut to microseconds
 * @param recordedAt when it was recorded, cut to microseconds
 * @param actor a JSON object in UTF-8
 * @param payload a JSON object in UTF-8
 * @param metadata a JSON object in UTF-8
 * @param orderingKey the key in whose order it stands (OB-5), null for none
 */
public record Envelope(
        UUID appId,
        String eventId,
        EventName name,
        Instant occurredAt,
        Instant recordedAt,
        String aggregateType,
        String aggregateId,
        @Nullable String workspaceId,
        @Nullable String relationshipId,
        RawJson actor,
        String correlationId,
        String causationId,
        @Nullable String idempotencyKey,
        RawJson payload,
        RawJson metadata,
        @Nullable String orderingKey) {
    /**
     * The JSON document in UTF-8, compact but for what the producer wrote. With an ordering key it ends before the number in the key's order,
     * which only the database can give: {@link OutboxRepository} appends it and the last brace.
     */
    public byte[] bytes() {
        Fields out = new Fields(512 + payload.length());
        out.text("appId", appId.toString());
        out.text("eventId", eventId);
        out.text("eventName", name.toString());
        out.raw("eventVersion", Integer.toString(name.version()).getBytes(StandardCharsets.US_ASCII));
        out.text("occurredAt", Instants.format(occurredAt));
        out.text("recordedAt", Instants.format(recordedAt));
        out.text("producer", name.producer());
        out.text("aggregateType", aggregateType);
        out.text("aggregateId", aggregateId);
        out.text("workspaceId", workspaceId);
        out.text("relationshipId", relationshipId);
        out.raw("actor", actor.bytes());
        out.text("correlationId", correlationId);
        out.text("causationId", causationId);
        out.text("idempotencyKey", idempotencyKey);
        out.raw("payload", payload.bytes());
        out.raw("metadata", metadata.bytes());
        if (orderingKey == null) {
            return out.end();
        }
        out.text("orderingKey", orderingKey);
        return out.openAt("orderingSequence");
    }

    /** Writes {@code "name":value} pairs; an absent value leaves its field out. */
    private static final class Fields {
        private final ByteArrayOutputStream out;
        private char separator = '{';

        Fields(int size) {
            out = new ByteArrayOutputStream(size);
        }

        void text(String name, @Nullable String value) {
            if (value != null) {
                name(name);
                out.write('"');
                out.writeBytes(JsonStringEncoder.getInstance().quoteAsUTF8(value));
                out.write('"');
            }
        }

        void raw(String name, byte[] json) {
            name(name);
            out.writeBytes(json);
        }

        private void name(String name) {
            out.write(separator);
            separator = ',';
            out.write('"');
            out.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
            out.write('"');
            out.write(':');
        }

        /** The document up to the value of its last field. */
        byte[] openAt(String name) {
            name(name);
            return out.toByteArray();
        }

        byte[] end() {
            out.write('}');
            return out.toByteArray();
        }
    }
}
