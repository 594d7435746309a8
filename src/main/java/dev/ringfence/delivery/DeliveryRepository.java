package dev.ringfence.delivery;

import dev.ringfence.config.DataSources;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads deliveries, without their ledgers. */
@ApplicationScoped
class DeliveryRepository {
    private static final String SELECT = """
            select d.id, d.event_id, d.message_id, d.subscription_id, t.tenant, d.state, d.cycle, d.next_attempt_at, d.accepted_at,
                   d.last_code, d.discarded, d.url, coalesce(d.body_sha256, o.payload_sha256) as sha256, d.created_at, d.updated_at
              from deliveries d
              join tenant_lifecycle t on t.tenant_id = d.tenant_id
              left join lateral (
                select e.payload_sha256 from outbox_events e
                 where e.ordinal = d.event_ordinal and e.recorded_at = d.event_recorded_at limit 1) o on true
             where d.app_id = ?""";

    private final DataSources dataSources;

    @Inject
    DeliveryRepository(DataSources dataSources) {
        this.dataSources = dataSources;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    DeliveryRepository() {
        this(null);
    }

    /** Up to {@code limit + 1} deliveries, newest first. */
    List<Delivery> find(DeliveryQuery query) {
        Conditions conditions = new Conditions(query);
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(SELECT + conditions.sql)) {
            for (int i = 0; i < conditions.values.size(); i++) {
                statement.setObject(i + 1, conditions.values.get(i));
            }
            List<Delivery> found = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(delivery(rows));
                }
            }
            return found;
        } catch (SQLException e) {
            throw new DeliveryStorageException("read deliveries", e);
        }
    }

    private static Delivery delivery(ResultSet row) throws SQLException {
        byte[] sha256 = row.getBytes("sha256");
        return new Delivery(
                Long.toString(row.getLong("id")),
                row.getString("event_id"),
                row.getString("message_id"),
                row.getObject("subscription_id", UUID.class),
                row.getString("tenant"),
                row.getString("state"),
                row.getInt("cycle"),
                List.of(),
                instant(row, "next_attempt_at"),
                instant(row, "accepted_at"),
                row.getString("last_code"),
                row.getBoolean("discarded") ? Boolean.TRUE : null,
                row.getString("url"),
                sha256 == null ? null : HexFormat.of().formatHex(sha256),
                row.getObject("created_at", OffsetDateTime.class).toInstant(),
                row.getObject("updated_at", OffsetDateTime.class).toInstant());
    }

    private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime value = row.getObject(column, OffsetDateTime.class);
        return value == null ? null : value.toInstant();
    }

    /** The end of the statement, from constants of this class only, and its values in order. */
    private static final class Conditions {
        private final StringBuilder sql = new StringBuilder();
        private final List<Object> values = new ArrayList<>();

        Conditions(DeliveryQuery query) {
            values.add(query.appId());
            add(" and d.id = ?", query.id());
            add(" and d.tenant_id = ?", query.tenantId());
            add(" and d.subscription_id = ?", query.subscriptionId());
            add(" and d.state = ?", query.state() == null ? null : query.state().text());
            add(
                    " and d.id = any (array (select k.delivery_id from delivery_keys k"
                            + " join event_keys e on e.ordinal = k.event_ordinal where e.event_id = ?))",
                    query.eventId());
            add(" and d.created_at >= ?", utc(query.from()));
            add(" and d.created_at < ?", utc(query.to()));
            add(" and d.id < ?", query.beforeId());
            sql.append(" order by d.id desc limit ?");
            values.add(query.limit() + 1);
        }

        private void add(String condition, @Nullable Object value) {
            if (value != null) {
                sql.append(condition);
                values.add(value);
            }
        }

        private static @Nullable OffsetDateTime utc(@Nullable Instant instant) {
            return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
        }
    }
}
