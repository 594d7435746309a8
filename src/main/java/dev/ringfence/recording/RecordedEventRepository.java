package dev.ringfence.recording;

import dev.ringfence.config.DataSources;
import dev.ringfence.outbox.OutboxStatus;
import dev.ringfence.outbox.StorageException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Reads one recorded event, its deliveries and what receivers acknowledged. */
@ApplicationScoped
class RecordedEventRepository {
    private static final String EVENT = """
            select o.ordinal, o.payload_bytes, o.payload_sha256, o.status
              from event_keys k
              join outbox_events o on o.ordinal = k.ordinal and o.recorded_at = k.recorded_at
             where k.event_id = ? and o.app_id = ?""";

    /** The key's time of creation is the delivery's, so that only one week of finished ones is looked at. */
    private static final String DELIVERIES = """
            select d.id, d.subscription_id, d.state
              from delivery_keys k
              join deliveries d on d.id = k.delivery_id and d.created_at = k.created_at
             where k.event_ordinal = ?
             order by d.id""";

    private static final String RECEIPTS = """
            select a.delivery_id, k.subscription_id, a.reservation_id, a.number, a.cycle, a.started_at,
                   coalesce(a.late_at, a.finished_at), coalesce(a.late_status, a.http_status), a.receipt::text,
                   a.late_state is not null
              from delivery_keys k
              join delivery_attempts a on a.delivery_id = k.delivery_id and a.delivery_created_at = k.created_at
             where k.event_ordinal = ?
               and (a.state = 'ACKNOWLEDGED' or a.late_state = 'ACKNOWLEDGED')
               and (a.delivery_id, a.number) > (?, ?)
             order by a.delivery_id, a.number
             limit ?""";

    private final DataSources dataSources;

    @Inject
    RecordedEventRepository(DataSources dataSources) {
        this.dataSources = dataSources;
    }

    /** For the container's proxy. */
    RecordedEventRepository() {
        this(new DataSources());
    }

    /** The event with its deliveries, if it belongs to the app. */
    Optional<EventDetail> find(UUID appId, String eventId) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(EVENT)) {
            statement.setString(1, eventId);
            statement.setObject(2, appId);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? Optional.of(detail(connection, eventId, row)) : Optional.empty();
            }
        } catch (SQLException e) {
            throw new StorageException("cannot read an event", e);
        }
    }

    private static EventDetail detail(Connection connection, String eventId, ResultSet row) throws SQLException {
        byte[] bytes = row.getBytes(2);
        return new EventDetail(
                eventId,
                row.getLong(1),
                new String(bytes, StandardCharsets.UTF_8),
                bytes,
                HexFormat.of().formatHex(row.getBytes(3)),
                OutboxStatus.valueOf(row.getString(4)),
                deliveries(connection, row.getLong(1)));
    }

    private static List<EventDetail.DeliveryLine> deliveries(Connection connection, long ordinal) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(DELIVERIES)) {
            statement.setLong(1, ordinal);
            List<EventDetail.DeliveryLine> found = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(new EventDetail.DeliveryLine(
                            rows.getString(1), rows.getObject(2, UUID.class), rows.getString(3)));
                }
            }
            return found;
        }
    }

    /** Up to {@code limit + 1} acknowledged attempts after a delivery id and attempt number. */
    List<NaturalReceipt> receipts(long ordinal, long afterDelivery, long afterNumber, int limit) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(RECEIPTS)) {
            statement.setLong(1, ordinal);
            statement.setLong(2, afterDelivery);
            statement.setLong(3, afterNumber);
            statement.setInt(4, limit + 1);
            List<NaturalReceipt> found = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(receipt(rows));
                }
            }
            return found;
        } catch (SQLException e) {
            throw new StorageException("cannot read an event's receipts", e);
        }
    }

    private static NaturalReceipt receipt(ResultSet row) throws SQLException {
        OffsetDateTime finishedAt = row.getObject(7, OffsetDateTime.class);
        return new NaturalReceipt(
                row.getString(1),
                row.getObject(2, UUID.class),
                row.getObject(3, UUID.class),
                row.getInt(4),
                row.getInt(5),
                row.getObject(6, OffsetDateTime.class).toInstant(),
                finishedAt == null ? null : finishedAt.toInstant(),
                row.getObject(8, Integer.class),
                row.getString(9),
                row.getBoolean(10));
    }
}
