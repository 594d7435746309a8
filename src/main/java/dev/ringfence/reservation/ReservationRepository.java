package dev.ringfence.reservation;

import dev.ringfence.config.DataSources;
import dev.ringfence.delivery.DeliveryStorageException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** The statements of {@link Reservations}; each takes a whole batch as arrays. */
@ApplicationScoped
public class ReservationRepository {

    /**
     * The states need no condition: the table holds live ones only. Rows are locked in the order of their ids and those that another worker has are skipped, so two batches never wait for each
     * other. {@code % 1 = 0} makes the planner expect few rows, and {@code any (array[…])} leaves it one way to each, its key (decision 15). Everything that forbids an attempt is a condition here, because a check before the statement would be stale.
     * {@code send_by} and {@code lease_until} are the database's time, so every node reads them alike; the worker's own deadline
     * began before the statement, so it is never later than {@code send_by}. Of a subscription whose circuit is not closed nothing is reserved,
     * but for one probe where its pause is over, by whoever gets hold of its row (SB-7).
     */
    private static final String RESERVE = """
            with durable as materialized (
              select set_config('synchronous_commit', 'on', true), set_config('lock_timeout', '2s', true)
            ), wanted as materialized (
              select w.* from durable,
                unnest(?::bigint[], ?::uuid[], ?::integer[], ?::bigint[], ?::bigint[])
                  as w (id, reservation_id, max_attempts, next_wait_ms, timeout_ms)
            ), moment as materialized (
              select ?::timestamptz as now, ?::bigint * interval '1 millisecond' as max_age,
                clock_timestamp() + ?::bigint * interval '1 millisecond' as send_by,
                ?::bigint * interval '1 millisecond' as grace, ?::text as node
            ), due as materialized (
              select w.*, d.subscription_id from (select * from wanted where id % 1 = 0 order by id) w, moment m, lateral (
                select x.subscription_id from deliveries_live x
                 where x.id = any (array[w.id]) and x.reservation_id is null and x.next_attempt_at <= m.now
                   and x.cycle_started_at > m.now - m.max_age and x.protocol = 1 and x.mode = 'PUSH'
                   and x.cycle_attempts < case when x.test then 1 else w.max_attempts end
                   for no key update skip locked) d
            ), tripped as materialized (
              select s.id from subscriptions s, moment m
               where s.id = any (array(select w.subscription_id from due w))
                 and s.circuit <> 'CLOSED' and s.circuit_until <= m.now
               order by s.id
               for no key update of s skip locked
            ), chosen as materialized (
              select min(w.id) as id from due w join tripped k on k.id = w.subscription_id group by k.id
            ), reserved as (
              update deliveries_live d
                 set attempts = d.attempts + 1, cycle_attempts = d.cycle_attempts + 1,
                     next_attempt_at = least(m.now + w.next_wait_ms * interval '1 millisecond', d.cycle_started_at + m.max_age),
                     reservation_id = w.reservation_id, reserved_by = m.node, send_by = m.send_by,
                     lease_until = m.send_by + w.timeout_ms * interval '1 millisecond' + m.grace, updated_at = m.now
                from due w, moment m, tenant_lifecycle t, apps a, subscriptions s
               where d.id = any (array[w.id])
                 and t.tenant_id = any (array[d.tenant_id]) and t.phase = 'ACTIVE' and t.epoch = d.epoch
                 and a.id = any (array[d.app_id]) and a.enabled
                 and s.id = any (array[d.subscription_id]) and s.status = 'ACTIVE'
                 and (s.circuit = 'CLOSED' or d.id = any (array(select c.id from chosen c)))
              returning d.id, d.created_at, d.app_id, d.tenant_id, d.epoch, d.subscription_id, d.reservation_id, d.cycle, d.attempts,
                d.cycle_attempts, d.cycle_started_at, d.message_id, d.url, d.headers, d.body_bytes, d.send_by,
                d.event_ordinal, d.event_recorded_at, d.test, s.circuit <> 'CLOSED' as probe, d.lease_until
            ), probing as (
              update subscriptions s
                 set circuit = 'HALF_OPEN', circuit_probe = r.reservation_id, circuit_until = r.lease_until + m.grace
                from reserved r, moment m
               where r.probe and s.id = any (array[r.subscription_id])
            ), ledger as (
              insert into delivery_attempts
                (delivery_id, delivery_created_at, number, cycle, tenant_id, reservation_id, state, node, started_at, send_by)
              select r.id, r.created_at, r.attempts, r.cycle, r.tenant_id, r.reservation_id, 'SENDING', m.node, m.now, r.send_by
                from reserved r, moment m
            )
            select r.id, r.created_at, r.tenant_id, r.epoch, r.subscription_id, r.reservation_id, r.cycle, r.attempts,
                   r.cycle_attempts, r.cycle_started_at, coalesce(e.request_started_at, r.created_at), r.message_id, r.url,
                   r.headers::text, e.traceparent, coalesce(r.body_bytes, e.payload_bytes), r.test, r.probe
              from reserved r
              left join lateral (
                select o.request_started_at, o.traceparent, o.payload_bytes from outbox_events o
                 where o.app_id = r.app_id and o.ordinal = r.event_ordinal and o.recorded_at = r.event_recorded_at limit 1) e on true
            """;

    /** AT-3: the attempt keeps its number and is not counted; the delivery is due at once, as it was, and so is another probe. */
    private static final String RELEASE = """
            with given as materialized (
              select * from unnest(?::bigint[], ?::uuid[], ?::integer[]) as g (id, reservation_id, number)
            ), held as materialized (
              select g.*, d.created_at, d.subscription_id from (select * from given where id % 1 = 0 order by id) g, lateral (
                select x.created_at, x.subscription_id from deliveries_live x
                 where x.id = any (array[g.id]) and x.reservation_id is not distinct from g.reservation_id for no key update) d
            ), probing as (
              update subscriptions s set circuit = 'OPEN', circuit_probe = null, circuit_until = ?
                from held h
               where s.id = any (array[h.subscription_id]) and s.circuit_probe = h.reservation_id
            ), ledger as (
              update delivery_attempts a set state = 'RELEASED', counted = false, finished_at = ?
                from held h
               where a.delivery_id = any (array[h.id]) and a.number = h.number and a.delivery_created_at = h.created_at
                 and a.reservation_id = h.reservation_id and a.state = 'SENDING'
              returning a.delivery_id
            )
            update deliveries_live d
               set cycle_attempts = d.cycle_attempts - 1, next_attempt_at = ?, reservation_id = null, reserved_by = null,
                   send_by = null, lease_until = null, updated_at = ?
              from ledger l
             where d.id = any (array[l.delivery_id])
            """;

    private final DataSources dataSources;

    @Inject
    public ReservationRepository(DataSources dataSources) {
        this.dataSources = dataSources;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    ReservationRepository() {
        this(null);
    }

    List<Reserved> reserve(ReservationOrder order) {
        List<Wanted> wanted = order.wanted();
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(RESERVE)) {
            Long[] ids = wanted.stream().map(Wanted::deliveryId).toArray(Long[]::new);
            statement.setArray(1, connection.createArrayOf("bigint", ids));
            UUID[] reservations = wanted.stream().map(w -> UUID.randomUUID()).toArray(UUID[]::new);
            statement.setArray(2, connection.createArrayOf("uuid", reservations));
            Integer[] most = wanted.stream().map(Wanted::maxAttempts).toArray(Integer[]::new);
            statement.setArray(3, connection.createArrayOf("integer", most));
            Long[] waits = wanted.stream().map(w -> w.nextWait().toMillis()).toArray(Long[]::new);
            statement.setArray(4, connection.createArrayOf("bigint", waits));
            Long[] timeouts = wanted.stream().map(w -> w.timeout().toMillis()).toArray(Long[]::new);
            statement.setArray(5, connection.createArrayOf("bigint", timeouts));
            statement.setObject(6, order.now().atOffset(ZoneOffset.UTC));
            statement.setLong(7, order.maxAge().toMillis());
            statement.setLong(8, order.sendWindow().toMillis());
            statement.setLong(9, order.grace().toMillis());
            statement.setString(10, order.node());
            try (ResultSet rows = statement.executeQuery()) {
                return read(rows, wanted.size());
            }
        } catch (SQLException e) {
            throw new DeliveryStorageException("reserve deliveries", e);
        }
    }

    int release(List<Reserved> unstarted, OffsetDateTime now) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(RELEASE)) {
            Long[] ids = unstarted.stream().map(Reserved::deliveryId).toArray(Long[]::new);
            statement.setArray(1, connection.createArrayOf("bigint", ids));
            UUID[] reservations =
                    unstarted.stream().map(Reserved::reservationId).toArray(UUID[]::new);
            statement.setArray(2, connection.createArrayOf("uuid", reservations));
            Integer[] numbers = unstarted.stream().map(Reserved::number).toArray(Integer[]::new);
            statement.setArray(3, connection.createArrayOf("integer", numbers));
            statement.setObject(4, now);
            statement.setObject(5, now);
            statement.setObject(6, now);
            statement.setObject(7, now);
            return statement.executeUpdate();
        } catch (SQLException e) {
            throw new DeliveryStorageException("release reservations", e);
        }
    }

    private static List<Reserved> read(ResultSet rows, int expected) throws SQLException {
        List<Reserved> reserved = new ArrayList<>(expected);
        while (rows.next()) {
            reserved.add(new Reserved(
                    rows.getLong(1),
                    rows.getObject(2, OffsetDateTime.class).toInstant(),
                    rows.getLong(3),
                    rows.getObject(4, UUID.class),
                    rows.getObject(5, UUID.class),
                    rows.getObject(6, UUID.class),
                    rows.getInt(7),
                    rows.getInt(8),
                    rows.getInt(9),
                    rows.getObject(10, OffsetDateTime.class).toInstant(),
                    rows.getObject(11, OffsetDateTime.class).toInstant(),
                    rows.getString(12),
                    rows.getString(13),
                    rows.getString(14),
                    rows.getString(15),
                    rows.getBytes(16),
                    rows.getBoolean(17),
                    rows.getBoolean(18)));
        }
        return reserved;
    }
}
