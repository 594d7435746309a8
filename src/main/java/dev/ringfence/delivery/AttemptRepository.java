package dev.ringfence.delivery;

import dev.ringfence.config.DataSources;
import dev.ringfence.config.Select;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Reads ledgers: of each delivery its newest attempts. */
@ApplicationScoped
class AttemptRepository {
    /** What a ledger shows at most; it has no end where an operator retries again and again. */
    private static final int NEWEST = 100;

    /** The bounds let PostgreSQL leave out the ledger's other weeks. */
    private static final String SELECT = """
            select a.*
              from unnest(?::bigint[]) as d (id)
              cross join lateral (
                select x.delivery_id, x.reservation_id, x.number, x.cycle, x.state, x.counted, x.started_at, x.finished_at,
                       x.http_status, x.code, x.retry_after, x.receipt::text as receipt, x.late_state, x.late_status, x.late_at
                  from delivery_attempts x
                 where x.delivery_id = d.id and x.delivery_created_at between ? and ?
                 order by x.number desc
                 limit ?) a
             order by a.delivery_id, a.number
            """;

    private final DataSources dataSources;

    @Inject
    AttemptRepository(DataSources dataSources) {
        this.dataSources = dataSources;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    AttemptRepository() {
        this(null);
    }

    /** The same deliveries with their ledgers. */
    List<Delivery> addTo(List<Delivery> deliveries) {
        if (deliveries.isEmpty()) {
            return deliveries;
        }
        Map<String, List<Attempt>> ledgers = ledgers(deliveries);
        return deliveries.stream()
                .map(d -> d.with(ledgers.getOrDefault(d.id(), List.of())))
                .toList();
    }

    private Map<String, List<Attempt>> ledgers(List<Delivery> deliveries) {
        Instant oldest = deliveries.stream()
                .map(Delivery::createdAt)
                .min(Instant::compareTo)
                .orElseThrow();
        Instant newest = deliveries.stream()
                .map(Delivery::createdAt)
                .max(Instant::compareTo)
                .orElseThrow();
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(SELECT)) {
            statement.setArray(
                    1,
                    connection.createArrayOf(
                            "bigint", deliveries.stream().map(Delivery::ordinal).toArray()));
            statement.setObject(2, oldest.atOffset(ZoneOffset.UTC));
            statement.setObject(3, newest.atOffset(ZoneOffset.UTC));
            statement.setInt(4, NEWEST);
            Map<String, List<Attempt>> ledgers = new HashMap<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    ledgers.computeIfAbsent(Long.toString(rows.getLong(1)), id -> new ArrayList<>())
                            .add(attempt(rows));
                }
            }
            return ledgers;
        } catch (SQLException e) {
            throw new DeliveryStorageException("read attempts", e);
        }
    }

    private static Attempt attempt(ResultSet row) throws SQLException {
        return new Attempt(
                row.getObject("reservation_id", UUID.class),
                row.getInt("number"),
                row.getInt("cycle"),
                AttemptState.valueOf(row.getString("state")),
                row.getBoolean("counted"),
                Select.instant(row, "started_at"),
                Select.instantOrNull(row, "finished_at"),
                row.getObject("http_status", Integer.class),
                row.getString("code"),
                Select.instantOrNull(row, "retry_after"),
                row.getString("receipt"),
                row.getString("late_state"),
                row.getObject("late_status", Integer.class),
                Select.instantOrNull(row, "late_at"));
    }
}
