package dev.ringfence.recording;

import dev.ringfence.config.DataSources;
import dev.ringfence.outbox.OutboxStatus;
import dev.ringfence.outbox.StorageException;
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
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Searches recorded events, newest first. */
@ApplicationScoped
class EventSearchRepository {
    private static final String SELECT = """
            select o.event_id, o.ordinal, t.tenant, o.event_name, o.event_version, o.status, o.occurred_at, o.recorded_at,
                   o.published_at, o.aggregate_type, o.aggregate_id, o.workspace_id, o.relationship_id, o.correlation_id,
                   o.causation_id, o.idempotency_key, o.occurrence_key, o.last_error_code
              from outbox_events o
              join tenant_lifecycle t on t.tenant_id = o.tenant_id
             where o.app_id = ?""";

    private final DataSources dataSources;

    @Inject
    EventSearchRepository(DataSources dataSources) {
        this.dataSources = dataSources;
    }

    /** For the container's proxy. */
    EventSearchRepository() {
        this(new DataSources());
    }

    /** Up to {@code limit + 1} events. */
    List<EventSummary> find(EventQuery query) {
        Conditions conditions = new Conditions(query);
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(SELECT + conditions.sql)) {
            for (int i = 0; i < conditions.values.size(); i++) {
                statement.setObject(i + 1, conditions.values.get(i));
            }
            List<EventSummary> found = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(summary(rows));
                }
            }
            return found;
        } catch (SQLException e) {
            throw new StorageException("cannot search events", e);
        }
    }

    private static EventSummary summary(ResultSet row) throws SQLException {
        return new EventSummary(
                row.getString("event_id"),
                row.getLong("ordinal"),
                row.getString("tenant"),
                row.getString("event_name"),
                row.getInt("event_version"),
                OutboxStatus.valueOf(row.getString("status")),
                row.getObject("occurred_at", OffsetDateTime.class).toInstant(),
                row.getObject("recorded_at", OffsetDateTime.class).toInstant(),
                instant(row, "published_at"),
                row.getString("aggregate_type"),
                row.getString("aggregate_id"),
                row.getString("workspace_id"),
                row.getString("relationship_id"),
                row.getString("correlation_id"),
                row.getString("causation_id"),
                row.getString("idempotency_key"),
                row.getString("occurrence_key"),
                row.getString("last_error_code"));
    }

    private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime value = row.getObject(column, OffsetDateTime.class);
        return value == null ? null : value.toInstant();
    }

    /** The end of the statement, from constants of this class only, and its values in order. */
    private static final class Conditions {
        private final StringBuilder sql = new StringBuilder();
        private final List<Object> values = new ArrayList<>();

        Conditions(EventQuery query) {
            values.add(query.appId());
            add(" and o.tenant_id = ?", query.tenantId());
            add(
                    " and o.status = ?",
                    query.status() == null ? null : query.status().name());
            add(" and o.event_name = ?", query.name());
            add(" and o.workspace_id = ?", query.workspaceId());
            add(" and o.relationship_id = ?", query.relationshipId());
            add(" and o.recorded_at >= ?", utc(query.from()));
            add(" and o.recorded_at < ?", utc(query.to()));
            order(query);
            sql.append(" limit ?");
            values.add(query.limit() + 1);
        }

        /** One tenant's events come from its index, which is in order of recording; those of an app from the numbers. */
        private void order(EventQuery query) {
            EventQuery.Position after = query.after();
            if (query.tenantId() == null) {
                add(" and o.ordinal < ?", after == null ? null : after.ordinal());
                sql.append(" order by o.ordinal desc");
            } else {
                add(" and (o.recorded_at, o.ordinal) < (?", after == null ? null : utc(after.recordedAt()));
                add(", ?)", after == null ? null : after.ordinal());
                sql.append(" order by o.recorded_at desc, o.ordinal desc");
            }
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
