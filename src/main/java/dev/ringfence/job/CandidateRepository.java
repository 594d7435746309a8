package dev.ringfence.job;

import dev.ringfence.config.DataSources;
import dev.ringfence.delivery.DeliveryStorageException;
import dev.ringfence.fence.FenceKey;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Finds what is due. */
@ApplicationScoped
public class CandidateRepository {

    /** A loose index scan: it jumps from one (tenant, subscription) pair to the next. */
    private static final String ALL_PAIRS = """
            with recursive pairs as (
              (select d.tenant_id, d.subscription_id, '-infinity'::timestamptz as read_at, 0::bigint as read_id from deliveries_live d
                where d.state in ('pending', 'retrying') and (d.tenant_id, d.subscription_id) > (?::bigint, ?::uuid)
                order by d.tenant_id, d.subscription_id limit 1)
              union all
              select n.tenant_id, n.subscription_id, p.read_at, p.read_id
                from pairs p, lateral (
                  select d.tenant_id, d.subscription_id from deliveries_live d
                   where d.state in ('pending', 'retrying')
                     and (d.tenant_id, d.subscription_id) > (p.tenant_id, p.subscription_id)
                   order by d.tenant_id, d.subscription_id limit 1) n
            )
            """;

    /** Those that had more than was taken, from where their rows were read to: what was delivered meanwhile is not passed again. */
    private static final String KNOWN_PAIRS = """
            with pairs as (
              select * from unnest(?::bigint[], ?::uuid[], ?::timestamptz[], ?::bigint[]) as x (tenant_id, subscription_id, read_at, read_id)
            )
            """;

    /**
     * A few due rows of each pair, so the cost follows the pairs that are visited, not the rows that wait. LATERAL with LIMIT keeps every join a
     * look-up per pair, in order, so that the outer LIMIT ends the walk. Of a subscription that is held, being paused (SB-3) or its circuit open (SB-7), only expired rows are of
     * interest: those at the head of what is due, and those that were tried before, by their age; so its backlog is not read. Of one whose
     * circuit may be probed one row is enough, of a deleted one all are of interest: they fail at once (SB-5). Of one with a rate so many
     * are of interest as it may begin, and all that end without a request (SB-7). Slots of a subscription are shared by the nodes, at least
     * one for each. A node's rows are told by a hash, as an event's deliveries have ids in a row: with two subscriptions and two nodes, each
     * would have one subscription for itself and pass all of the other's.
     */
    private static final String DUE = """
            select p.tenant_id, p.subscription_id, c.id, t.fence_key, t.app_enabled, s.version, c.cycle, c.cycle_attempts,
                   c.cycle_started_at, coalesce(c.event_name, e.event_name), s.per_second, coalesce(c.octets, e.octets, 0), c.expired or g.disabled,
                   c.next_attempt_at, w.most, s.held is not true and s.per_second is null
              from pairs p
              left join lateral (
                select l.fence_key, l.epoch, l.phase, a.enabled as app_enabled
                  from tenant_lifecycle l join apps a on a.id = l.app_id
                 where l.tenant_id = p.tenant_id and p.tenant_id <> all (?::bigint[]) limit 1) t on true
              left join lateral (
                select x.version, x.status, x.in_flight, x.per_second,
                       x.status = 'PAUSED' or (x.status = 'ACTIVE' and x.circuit <> 'CLOSED' and x.circuit_until > m.now) as held,
                       case when x.status = 'ACTIVE' and x.circuit <> 'CLOSED' then 1 end as probes
                  from subscriptions x, (select ?::timestamptz as now) m
                 where x.id = p.subscription_id limit 1) s on true
              cross join lateral (select coalesce(s.status = 'DISABLED', true) or t.app_enabled is not true as disabled) g
              left join lateral (
                select x.taken, x.most, x.allowed
                  from unnest(?::uuid[], ?::integer[], ?::integer[], ?::integer[]) as x (id, taken, most, allowed)
                 where x.id = p.subscription_id limit 1) u on true
              cross join lateral (
                select greatest(0, least(?::integer, least(case when s.status is null then null else greatest(1, s.in_flight / ?::integer) end,
                         u.most, case when not s.held then s.probes end) - coalesce(u.taken, 0))) as most) w
              left join lateral (
                (select q.id, q.cycle, q.cycle_attempts, q.cycle_started_at, q.event_ordinal, q.event_recorded_at, q.event_name, q.octets, q.expired,
                        q.next_attempt_at from (
                  select d.id, d.cycle, d.cycle_attempts, d.cycle_started_at, d.event_ordinal, d.event_recorded_at, d.event_name, d.next_attempt_at,
                         coalesce(d.octets, octet_length(d.body_bytes)) as octets, d.cycle_started_at <= ?::timestamptz as expired,
                         row_number() over (order by d.next_attempt_at, d.id rows unbounded preceding) as nth
                    from deliveries_live d
                   where d.tenant_id = p.tenant_id and d.subscription_id = p.subscription_id
                     and d.state in ('pending', 'retrying')
                     and d.next_attempt_at <= case when s.status is null then 'infinity' else ?::timestamptz end
                     and (d.next_attempt_at, d.id) > (p.read_at, p.read_id)
                     and d.reservation_id is null and d.protocol = 1 and d.mode = 'PUSH'
                     and t.phase = 'ACTIVE' and d.epoch = t.epoch
                     and ((hashint8(d.id) & 2147483647) % ? = ? or d.next_attempt_at <= ?::timestamptz) and d.id <> all (?::bigint[])
                   order by d.next_attempt_at, d.id
                   limit w.most) q
                 where q.expired or (s.held is not true and (g.disabled or u.allowed is null or q.nth <= u.allowed)))
                union all
                (select d.id, d.cycle, d.cycle_attempts, d.cycle_started_at, d.event_ordinal, d.event_recorded_at, d.event_name,
                        coalesce(d.octets, octet_length(d.body_bytes)), true, null
                   from deliveries_live d
                  where s.held and d.tenant_id = p.tenant_id and d.subscription_id = p.subscription_id
                    and d.state = 'retrying' and d.cycle_started_at <= ?::timestamptz
                    and d.reservation_id is null and d.protocol = 1 and d.mode = 'PUSH'
                    and t.phase = 'ACTIVE' and d.epoch = t.epoch and (hashint8(d.id) & 2147483647) % ? = ? and d.id <> all (?::bigint[])
                  order by d.cycle_started_at
                  limit ?::integer)) c on true
              left join lateral (
                select o.event_name, octet_length(o.payload_bytes) as octets from outbox_events o
                 where c.event_name is null and o.ordinal = c.event_ordinal and o.recorded_at = c.event_recorded_at limit 1) e on true
             limit ?
            """;

    static final String SCAN = ALL_PAIRS + DUE;
    static final String GO_ON = KNOWN_PAIRS + DUE;

    /** A node that delivers has had its own in hand long before. */
    private static final Duration OVERDUE = Duration.ofSeconds(2);

    private final DataSources dataSources;

    @Inject
    public CandidateRepository(DataSources dataSources) {
        this.dataSources = dataSources;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    CandidateRepository() {
        this(null);
    }

    /**
     * One scan, outside any transaction, so that the chunk's own stays empty. Where the planner expects few rows of a pair, it would collect
     * and sort all of them, and one pair may have a million: without bitmaps the index's order is left, which ends with the limit.
     */
    @Transactional(Transactional.TxType.NOT_SUPPORTED)
    public Scan scan(ScanOrder order) {
        try (Connection connection = dataSources.jta().getConnection();
                Statement planner = connection.createStatement()) {
            planner.execute("set enable_bitmapscan = off");
            try {
                return scan(connection, order);
            } finally {
                planner.execute("reset enable_bitmapscan");
            }
        } catch (SQLException e) {
            throw new DeliveryStorageException("look for due deliveries", e);
        }
    }

    private static Scan scan(Connection connection, ScanOrder order) throws SQLException {
        String text = order.known().isEmpty() ? SCAN : GO_ON;
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            List<Object> values = new ArrayList<>(pairs(connection, order));
            values.addAll(due(connection, order));
            for (int i = 0; i < values.size(); i++) {
                statement.setObject(i + 1, values.get(i));
            }
            try (ResultSet rows = statement.executeQuery()) {
                return read(rows, order.limit());
            }
        }
    }

    private static List<Object> pairs(Connection connection, ScanOrder order) throws SQLException {
        List<ScanHead> known = order.known();
        if (known.isEmpty()) {
            return List.of(order.after().tenantId(), order.after().subscriptionId());
        }
        return List.of(
                array(connection, "bigint", known, head -> head.pair().tenantId()),
                array(connection, "uuid", known, head -> head.pair().subscriptionId()),
                array(connection, "timestamptz", known, head -> head.dueAt().toString()),
                array(connection, "bigint", known, ScanHead::id));
    }

    private static List<Object> due(Connection connection, ScanOrder order) throws SQLException {
        List<ScanOrder.Load> loads = order.loads();
        OffsetDateTime now = order.now().atOffset(ZoneOffset.UTC);
        OffsetDateTime expired = order.expiredBefore().atOffset(ZoneOffset.UTC);
        Array held = connection.createArrayOf("bigint", order.heldIds().toArray());
        int nodes = order.share().nodes();
        int rank = order.share().rank();
        return List.of(
                connection.createArrayOf("bigint", order.coolTenants().toArray()),
                now,
                array(connection, "uuid", loads, ScanOrder.Load::subscriptionId),
                array(connection, "integer", loads, ScanOrder.Load::taken),
                array(connection, "integer", loads, ScanOrder.Load::most),
                array(connection, "integer", loads, ScanOrder.Load::allowed),
                order.perPair(),
                nodes,
                expired,
                now,
                nodes,
                rank,
                overdue(order).atOffset(ZoneOffset.UTC),
                held,
                expired,
                nodes,
                rank,
                held,
                order.perPair(),
                order.limit());
    }

    private static <T> Array array(
            Connection connection, String type, List<T> rows, Function<T, @Nullable Object> column)
            throws SQLException {
        return connection.createArrayOf(type, rows.stream().map(column).toArray());
    }

    /** Another node's deliveries that were due by then are taken too. */
    private static Instant overdue(ScanOrder order) {
        return order.share().andOverdue() ? order.now().minus(OVERDUE) : Instant.EPOCH;
    }

    private static Scan read(ResultSet rows, int limit) throws SQLException {
        List<Candidate> candidates = new ArrayList<>();
        List<ScanVisit> visits = new ArrayList<>();
        ScanVisit visit = null;
        int seen = 0;
        while (rows.next()) {
            seen++;
            ScanPlace pair = new ScanPlace(rows.getLong(1), rows.getObject(2, UUID.class));
            if (visit == null || !visit.pair().equals(pair)) {
                visit = new ScanVisit(pair, rows.getInt(15), rows.getBoolean(16));
                visits.add(visit);
            }
            long id = rows.getLong(3);
            if (!rows.wasNull()) {
                candidates.add(candidate(rows, id, pair));
                OffsetDateTime due = rows.getObject(14, OffsetDateTime.class);
                visit.found(id, due == null ? null : due.toInstant());
            }
        }
        boolean wrapped = seen < limit;
        if (visit != null && !wrapped) {
            visit.cut();
        }
        return new Scan(candidates, visits, wrapped);
    }

    private static Candidate candidate(ResultSet rows, long id, ScanPlace pair) throws SQLException {
        return new Candidate(
                id,
                pair.tenantId(),
                new FenceKey(rows.getLong(4)),
                rows.getBoolean(5),
                pair.subscriptionId(),
                rows.getObject(6, Long.class),
                rows.getInt(7),
                rows.getInt(8),
                rows.getObject(9, OffsetDateTime.class).toInstant(),
                rows.getString(10),
                rows.getObject(11, Double.class),
                rows.getInt(12),
                rows.getBoolean(13));
    }
}
