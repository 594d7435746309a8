package dev.ringfence.receipt;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ringfence.config.DataSources;
import dev.ringfence.delivery.DeliveryStorageException;
import dev.ringfence.json.JsonFactories;
import dev.ringfence.ordering.OrderedKey;
import dev.ringfence.transport.OutcomeCode;
import dev.ringfence.transport.Receipt;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The statements of {@link Receipts}. */
@ApplicationScoped
public class ReceiptRepository {

    /**
     * Deliveries are locked in the order of their ids, and only where the reservation is still the open one; attempts follow
     * their delivery's lock. What says {@code any (array[…])}, and states in the negative, leaves the planner one way to each row, its key
     * (decision 15); {@code % 1 = 0} makes it expect few.
     */
    private static final String SETTLE = """
            with bounds as materialized (
              select set_config('lock_timeout', '2s', true), ?::timestamptz as now
            ), given as materialized (
              select g.* from bounds, unnest(?::bigint[], ?::uuid[], ?::integer[], ?::text[], ?::text[], ?::integer[],
                  ?::timestamptz[], ?::text[], ?::text[], ?::timestamptz[], ?::text[])
                as g (id, reservation_id, number, attempt, code, status, retry_after, receipt, state, due, last_code)
            ), held as materialized (
              select g.*, d.created_at from (select * from given where id % 1 = 0 order by id) g, lateral (
                select x.created_at from deliveries_live x
                 where x.id = any (array[g.id]) and x.reservation_id is not distinct from g.reservation_id for no key update) d
            ), ledger as (
              update delivery_attempts a
                 set state = h.attempt, code = h.code, http_status = h.status, retry_after = h.retry_after,
                     receipt = h.receipt::jsonb, finished_at = b.now
                from held h, bounds b
               where a.delivery_id = any (array[h.id]) and a.number = h.number and a.delivery_created_at = h.created_at
                 and a.reservation_id = h.reservation_id and a.state = 'SENDING'
              returning h.id, h.reservation_id, h.state, h.due, h.status, h.last_code, b.now
            )
            update deliveries d
               set state = l.state, next_attempt_at = l.due, last_code = l.last_code, last_status = l.status,
                   accepted_at = case when l.state = 'delivered' then coalesce(d.accepted_at, l.now) else d.accepted_at end,
                   finished_at = case when l.state <> 'retrying' then l.now end,
                   reservation_id = null, reserved_by = null, send_by = null, lease_until = null, updated_at = l.now
              from ledger l
             where d.id = any (array[l.id]) and d.state not in ('delivered', 'failed', 'dead', 'skipped_filter')
            returning l.reservation_id, exists (
              select from subscriptions s where s.id = d.subscription_id
                 and (s.consecutive_dead > 0 or s.circuit_failures > 0 or s.circuit <> 'CLOSED')),
              d.subscription_id, case when d.state <> 'retrying' then d.order_key end
            """;

    /** D15: an answer that came after its attempt was closed by somebody else is history and nothing more. */
    private static final String NOTE_LATE = """
            with given as materialized (
              select * from unnest(?::bigint[], ?::uuid[], ?::integer[], ?::text[], ?::integer[], ?::timestamptz[])
                as g (id, reservation_id, number, attempt, status, created_at)
            )
            update delivery_attempts a set late_state = g.attempt, late_status = g.status, late_at = ?
              from given g
             where a.delivery_id = any (array[g.id]) and a.number = g.number and a.reservation_id = g.reservation_id
               and a.delivery_created_at = g.created_at and a.state <> 'SENDING' and a.late_at is null
            """;

    /** AT-8: the marker outlives the attempt's row; a late answer is kept there too and resolves nothing. */
    private static final String NOTE_ON_MARKERS = """
            update unresolved_markers m set late_state = g.attempt, late_status = g.status, late_at = ?
              from unnest(?::uuid[], ?::text[], ?::integer[]) as g (reservation_id, attempt, status)
             where m.reservation_id = any (array[g.reservation_id]) and m.late_at is null
            """;

    private static final ObjectMapper JSON = JsonFactories.plainMapper();

    private final DataSources dataSources;

    @Inject
    public ReceiptRepository(DataSources dataSources) {
        this.dataSources = dataSources;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    ReceiptRepository() {
        this(null);
    }

    /** Settles the reservations that are still open. */
    Settled settle(List<Settlement> settlements, OffsetDateTime now) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(SETTLE)) {
            Columns given = new Columns(connection, settlements);
            statement.setObject(1, now);
            statement.setArray(2, given.of("bigint", s -> s.reserved().deliveryId()));
            statement.setArray(3, given.of("uuid", s -> s.reserved().reservationId()));
            statement.setArray(4, given.of("integer", s -> s.reserved().number()));
            statement.setArray(5, given.of("text", s -> s.attempt().name()));
            statement.setArray(6, given.of("text", s -> name(s.code())));
            statement.setArray(7, given.of("integer", Settlement::status));
            statement.setArray(8, given.of("timestamptz", s -> utc(s.retryAfter())));
            statement.setArray(9, given.of("text", s -> json(s.receipt())));
            statement.setArray(10, given.of("text", s -> s.delivery().text()));
            statement.setArray(11, given.of("timestamptz", s -> utc(s.nextAttemptAt())));
            statement.setArray(12, given.of("text", s -> name(s.lastCode())));
            Map<UUID, Boolean> settled = new HashMap<>();
            Set<OrderedKey> freed = new HashSet<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    settled.put(rows.getObject(1, UUID.class), rows.getBoolean(2));
                    String key = rows.getString(4);
                    if (key != null) {
                        freed.add(new OrderedKey(rows.getObject(3, UUID.class), key));
                    }
                }
            }
            return new Settled(settled, freed);
        } catch (SQLException e) {
            throw new DeliveryStorageException("store receipts", e);
        }
    }

    int noteLate(List<Settlement> late, OffsetDateTime now) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(NOTE_LATE)) {
            Columns given = new Columns(connection, late);
            statement.setArray(1, given.of("bigint", s -> s.reserved().deliveryId()));
            statement.setArray(2, given.of("uuid", s -> s.reserved().reservationId()));
            statement.setArray(3, given.of("integer", s -> s.reserved().number()));
            statement.setArray(4, given.of("text", s -> s.attempt().name()));
            statement.setArray(5, given.of("integer", Settlement::status));
            statement.setArray(6, given.of("timestamptz", s -> utc(s.reserved().createdAt())));
            statement.setObject(7, now);
            return statement.executeUpdate();
        } catch (SQLException e) {
            throw new DeliveryStorageException("note late answers", e);
        }
    }

    int noteOnMarkers(List<Settlement> late, OffsetDateTime now) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(NOTE_ON_MARKERS)) {
            Columns given = new Columns(connection, late);
            statement.setObject(1, now);
            statement.setArray(2, given.of("uuid", s -> s.reserved().reservationId()));
            statement.setArray(3, given.of("text", s -> s.attempt().name()));
            statement.setArray(4, given.of("integer", Settlement::status));
            return statement.executeUpdate();
        } catch (SQLException e) {
            throw new DeliveryStorageException("note late answers on markers", e);
        }
    }

    private static @Nullable String name(@Nullable OutcomeCode code) {
        return code == null ? null : code.name();
    }

    private static @Nullable String utc(@Nullable Instant instant) {
        return instant == null ? null : instant.toString();
    }

    private static @Nullable String json(@Nullable Receipt receipt) {
        try {
            return receipt == null ? null : JSON.writeValueAsString(receipt);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a receipt is plain data", e);
        }
    }

    /** The settlements, column by column, as SQL arrays. */
    private record Columns(Connection connection, List<Settlement> settlements) {
        java.sql.Array of(String type, Function<Settlement, @Nullable Object> column) throws SQLException {
            return connection.createArrayOf(
                    type, settlements.stream().map(column).toArray());
        }
    }
}
