package dev.ringfence.outbox;

import static java.util.stream.Collectors.joining;

import dev.ringfence.config.DataSources;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.lang.reflect.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Writes outbox rows and their narrow keys in the caller's transaction, all of a request by one statement. */
@ApplicationScoped
public class OutboxRepository {
    /**
     * Keys first, in key order so that two requests with the same keys wait for each other instead of deadlocking; the row
     * follows only where its key was new. A concurrent transaction with the same key is waited for.
     */
    private static final String NEW = """
            with common as (
              select ?::uuid as app_id, ?::bigint as tenant_id, ?::uuid as epoch, ?::timestamptz as request_started_at,
                     ?::timestamptz as recorded_at, ?::text as traceparent),
            submitted as (
              select * from %s),
            keys as (
              insert into event_keys (event_id, tenant_id, epoch, dedupe_key, content_sha256, ordinal, recorded_at)
              select event_id, tenant_id, epoch, dedupe_key, content_sha256, ordinal, recorded_at
                from submitted, common
               order by dedupe_key
              on conflict (tenant_id, epoch, dedupe_key) where dedupe_key is not null do nothing
              returning event_id),
            """;

    private static final String STORED = """
            stored as (
              insert into outbox_events (ordinal, tenant_id, app_id, epoch, request_started_at, event_id, event_name, event_version,
                  occurred_at, recorded_at, producer, aggregate_type, aggregate_id, workspace_id, relationship_id, actor,
                  correlation_id, causation_id, idempotency_key, occurrence_key, ordering_key, traceparent, milestone, payload, metadata,
                  payload_bytes, payload_sha256, status, available_at, created_at, updated_at, order_sequence)
              select ordinal, tenant_id, app_id, epoch, request_started_at, event_id, event_name, event_version,
                  occurred_at, recorded_at, producer, aggregate_type, aggregate_id, workspace_id, relationship_id, actor,
                  correlation_id, causation_id, idempotency_key, occurrence_key, ordering_key, traceparent, milestone, payload, metadata,
                  payload_bytes, payload_sha256, 'PENDING', recorded_at, recorded_at, recorded_at, order_sequence
                from complete, common)
            select event_id from keys""";

    private static final String INSERT = NEW + """
            complete as (select s.*, null::bigint as order_sequence from submitted s join keys using (event_id)),
            """ + STORED;

    /**
     * Only what is new takes numbers, those of a key in the order of the ordinals (OB-5). Keys are locked in their order too, after all
     * that a recording waits for, and stay so until the transaction ends.
     */
    private static final String INSERT_ORDERED = NEW + """
            numbers as (
              insert into ordering_keys as k (tenant_id, ordering_key, last_sequence)
              select c.tenant_id, s.ordering_key, count(*)
                from submitted s join keys using (event_id) cross join common c
               where s.ordering_key is not null
               group by c.tenant_id, s.ordering_key
               order by s.ordering_key collate "C"
              on conflict (tenant_id, ordering_key) do update set last_sequence = k.last_sequence + excluded.last_sequence
              returning ordering_key, last_sequence),
            numbered as (
              select s.ordinal, n.last_sequence - row_number() over (partition by s.ordering_key order by s.ordinal desc) + 1 as order_sequence
                from submitted s join keys using (event_id) join numbers n on n.ordering_key = s.ordering_key),
            complete as (
              select s.ordinal, s.event_id, s.event_name, s.event_version, s.occurred_at, s.producer, s.aggregate_type, s.aggregate_id,
                     s.workspace_id, s.relationship_id, s.actor, s.correlation_id, s.causation_id, s.idempotency_key, s.occurrence_key,
                     s.ordering_key, s.milestone, s.payload, s.metadata, b.bytes as payload_bytes, sha256(b.bytes) as payload_sha256,
                     n.order_sequence
                from submitted s join keys using (event_id) left join numbered n on n.ordinal = s.ordinal
               cross join lateral (
                 select s.payload_bytes || coalesce(convert_to(n.order_sequence || '}', 'UTF8'), '') as bytes) b),
            """ + STORED;

    private static final String KNOWN = """
            select dedupe_key, event_id, ordinal, content_sha256
              from event_keys
             where tenant_id = ? and epoch = ? and dedupe_key = any (?) and dedupe_key is not null""";

    private final DataSources dataSources;

    @Inject
    public OutboxRepository(DataSources dataSources) {
        this.dataSources = dataSources;
    }

    /** For the container's proxy. */
    OutboxRepository() {
        this(new DataSources());
    }

    /**
     * Inserts the events whose dedupe key is new in this tenant and epoch. Two events of one call must not share a key.
     *
     * @return ids of the events that were inserted; the others are known already
     */
    public Set<String> insert(Origin origin, List<NewEvent> events) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(statement(events))) {
            int next = bind(statement, origin);
            EventColumns.bind(connection, statement, next, events);
            Set<String> inserted = new HashSet<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    inserted.add(rows.getString(1));
                }
            }
            return inserted;
        } catch (SQLException e) {
            throw new StorageException("cannot insert outbox events", e);
        }
    }

    /** Events without an ordering key pay nothing for those with one. */
    private static String statement(List<NewEvent> events) {
        boolean unordered = events.stream().allMatch(event -> event.envelope().orderingKey() == null);
        return (unordered ? INSERT : INSERT_ORDERED).formatted(EventColumns.table(events.size()));
    }

    private static int bind(PreparedStatement statement, Origin origin) throws SQLException {
        statement.setObject(1, origin.appId());
        statement.setLong(2, origin.tenantId());
        statement.setObject(3, origin.epoch());
        statement.setObject(4, origin.requestStartedAt().atOffset(ZoneOffset.UTC));
        statement.setObject(5, origin.recordedAt().atOffset(ZoneOffset.UTC));
        statement.setString(6, origin.traceparent());
        return 7;
    }

    /** The events recorded before under these keys, as far as they are committed or of this transaction. */
    public Map<DedupeKey, KnownEvent> known(long tenantId, UUID epoch, Collection<DedupeKey> keys) {
        if (keys.isEmpty()) {
            return Map.of();
        }
        byte[][] hashes = keys.stream().map(DedupeKey::hash).toArray(byte[][]::new);
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(KNOWN)) {
            statement.setLong(1, tenantId);
            statement.setObject(2, epoch);
            statement.setArray(3, connection.createArrayOf("bytea", hashes));
            try (ResultSet rows = statement.executeQuery()) {
                Map<DedupeKey, KnownEvent> known = new HashMap<>();
                while (rows.next()) {
                    known.put(
                            DedupeKey.stored(rows.getBytes(1)),
                            new KnownEvent(rows.getString(2), rows.getLong(3), rows.getBytes(4)));
                }
                return known;
            }
        } catch (SQLException e) {
            throw new StorageException("cannot read event keys", e);
        }
    }

    /** What of new events goes to the database as a column of its own: names, types, and the parameters of a statement that inserts them. */
    private static final class EventColumns {
        private static final List<Column<?>> COLUMNS = List.of(
                new Column<>("ordinal", "bigint", Long.class, NewEvent::ordinal),
                text("event_id", Envelope::eventId),
                text("event_name", envelope -> envelope.name().toString()),
                new Column<>(
                        "event_version",
                        "integer",
                        Integer.class,
                        event -> event.envelope().name().version()),
                text(
                        "occurred_at",
                        "timestamptz",
                        envelope -> envelope.occurredAt().toString()),
                text("producer", envelope -> envelope.name().producer()),
                text("aggregate_type", Envelope::aggregateType),
                text("aggregate_id", Envelope::aggregateId),
                text("workspace_id", Envelope::workspaceId),
                text("relationship_id", Envelope::relationshipId),
                text("actor", "jsonb", envelope -> envelope.actor().text()),
                text("correlation_id", Envelope::correlationId),
                text("causation_id", Envelope::causationId),
                text("idempotency_key", Envelope::idempotencyKey),
                new Column<>("occurrence_key", "text", String.class, NewEvent::occurrenceKey),
                text("ordering_key", Envelope::orderingKey),
                new Column<>("milestone", "boolean", Boolean.class, NewEvent::milestone),
                text("payload", "jsonb", envelope -> envelope.payload().text()),
                text("metadata", "jsonb", envelope -> envelope.metadata().text()),
                bytes("payload_bytes", NewEvent::bytes),
                bytes("payload_sha256", event -> DedupeKey.sha256(event.bytes())),
                bytes(
                        "dedupe_key",
                        event -> event.dedupeKey() == null
                                ? null
                                : event.dedupeKey().hash()),
                bytes("content_sha256", NewEvent::contentSha256));

        private static final String NAMES =
                COLUMNS.stream().map(Column::name).collect(joining(", ", " as submitted(", ")"));

        /** One array for each column. */
        private static final String MANY =
                COLUMNS.stream().map(column -> "?::" + column.type() + "[]").collect(joining(", ", "unnest(", ")"))
                        + NAMES;

        /** One event, as most requests bring it: neither we nor the database make arrays of one. */
        private static final String ONE =
                COLUMNS.stream().map(column -> "?::" + column.type()).collect(joining(", ", "(select ", ")")) + NAMES;

        private EventColumns() {}

        /** The table expression, with parameters, that so many events are. */
        static String table(int events) {
            return events == 1 ? ONE : MANY;
        }

        /** Binds the events to the parameters of their {@link #table}, the first of which has that number. */
        static void bind(Connection connection, PreparedStatement statement, int first, List<NewEvent> events)
                throws SQLException {
            int next = first;
            for (Column<?> column : COLUMNS) {
                if (events.size() == 1) {
                    column.bind(statement, next++, events.get(0));
                } else {
                    column.bind(connection, statement, next++, events);
                }
            }
        }

        private static Column<String> text(String name, Function<Envelope, @Nullable String> value) {
            return text(name, "text", value);
        }

        private static Column<String> text(String name, String type, Function<Envelope, @Nullable String> value) {
            return new Column<>(name, type, String.class, event -> value.apply(event.envelope()));
        }

        private static Column<byte[]> bytes(String name, Function<NewEvent, byte @Nullable []> value) {
            return new Column<>(name, "bytea", byte[].class, value);
        }

        /**
         * One of them.
         *
         * @param type in the table
         * @param element what it is here; texts are cast to the type by the database
         */
        private record Column<T>(
                String name, String type, Class<T> element, Function<NewEvent, ? extends @Nullable T> value) {

            void bind(PreparedStatement statement, int parameter, NewEvent event) throws SQLException {
                T of = value.apply(event);
                if (of == null) {
                    statement.setNull(parameter, Types.NULL);
                } else if (of instanceof String text) {
                    statement.setString(parameter, text);
                } else if (of instanceof byte[] bytes) {
                    statement.setBytes(parameter, bytes);
                } else {
                    statement.setObject(parameter, of);
                }
            }

            /** Of the element's own class, which the driver sends as it is; an array of objects it writes out as text and quotes. */
            @SuppressWarnings("unchecked")
            void bind(Connection connection, PreparedStatement statement, int parameter, List<NewEvent> events)
                    throws SQLException {
                @Nullable T[] values = (T[]) Array.newInstance(element, events.size());
                for (int i = 0; i < values.length; i++) {
                    values[i] = value.apply(events.get(i));
                }
                String sent = element == String.class ? "text" : type;
                statement.setArray(parameter, connection.createArrayOf(sent, values));
            }
        }
    }
}
