package dev.ringfence.delivery;

import dev.ringfence.config.DataSources;
import dev.ringfence.config.Select;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads deliveries, without their ledgers. */
@ApplicationScoped
class DeliveryRepository {
    private static final String SELECT = """
            select d.id, d.event_id, d.message_id, d.subscription_id, t.tenant, d.state, d.cycle, d.accepted_at,
                   nullif(d.next_attempt_at, 'infinity') as next_attempt_at, d.next_attempt_at = 'infinity' as held,
                   d.order_key, d.order_sequence, d.out_of_order,
                   d.last_code, d.discarded, d.test, d.url, coalesce(d.body_sha256, o.payload_sha256) as sha256, d.created_at, d.updated_at
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
        DeliveryState state = query.state();
        Select select = new Select(SELECT, query.appId())
                .and("d.id = ?", query.id())
                .and("d.tenant_id = ?", query.tenantId())
                .and("d.subscription_id = ?", query.subscriptionId())
                .and("d.state = ?", state == null ? null : state.text())
                .and(
                        "d.id = any (array (select k.delivery_id from delivery_keys k"
                                + " join event_keys e on e.ordinal = k.event_ordinal where e.event_id = ?"
                                + " union all select x.id from deliveries x where x.test and x.event_id = ?))",
                        query.eventId(),
                        query.eventId())
                .and("d.created_at >= ?", query.from())
                .and("d.created_at < ?", query.to())
                .and("d.id < ?", query.beforeId())
                .ending("order by d.id desc limit ?", query.limit() + 1);
        try {
            return select.list(dataSources.jta(), DeliveryRepository::delivery);
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
                Select.instantOrNull(row, "next_attempt_at"),
                flag(row, "held"),
                Select.instantOrNull(row, "accepted_at"),
                row.getString("last_code"),
                flag(row, "discarded"),
                flag(row, "test"),
                row.getString("order_key"),
                row.getObject("order_sequence", Long.class),
                flag(row, "out_of_order"),
                row.getString("url"),
                sha256 == null ? null : HexFormat.of().formatHex(sha256),
                Select.instant(row, "created_at"),
                Select.instant(row, "updated_at"));
    }

    /** True or absent. */
    private static @Nullable Boolean flag(ResultSet row, String column) throws SQLException {
        return row.getBoolean(column) ? Boolean.TRUE : null;
    }
}
