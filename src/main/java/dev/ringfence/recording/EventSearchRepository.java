package dev.ringfence.recording;

import dev.ringfence.config.DataSources;
import dev.ringfence.config.Select;
import dev.ringfence.outbox.OutboxStatus;
import dev.ringfence.outbox.StorageException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

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
        OutboxStatus status = query.status();
        Select select = new Select(SELECT, query.appId())
                .and("o.tenant_id = ?", query.tenantId())
                .and("o.status = ?", status == null ? null : status.name())
                .and("o.event_name = ?", query.name())
                .and("o.workspace_id = ?", query.workspaceId())
                .and("o.relationship_id = ?", query.relationshipId())
                .and("o.recorded_at >= ?", query.from())
                .and("o.recorded_at < ?", query.to());
        order(select, query);
        try {
            return select.ending("limit ?", query.limit() + 1).list(dataSources.jta(), EventSearchRepository::summary);
        } catch (SQLException e) {
            throw new StorageException("cannot search events", e);
        }
    }

    /** One tenant's events come from its index, which is in order of recording; those of an app from the numbers. */
    private static void order(Select select, EventQuery query) {
        EventQuery.Position after = query.after();
        Instant recordedAt = after == null ? null : after.recordedAt();
        Long ordinal = after == null ? null : after.ordinal();
        if (query.tenantId() == null) {
            select.and("o.ordinal < ?", ordinal).ending("order by o.ordinal desc");
        } else {
            select.and("(o.recorded_at, o.ordinal) < (?, ?)", recordedAt, ordinal)
                    .ending("order by o.recorded_at desc, o.ordinal desc");
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
                Select.instant(row, "occurred_at"),
                Select.instant(row, "recorded_at"),
                Select.instantOrNull(row, "published_at"),
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
}
