package dev.ringfence.fanout;

import dev.ringfence.config.DataSources;
import dev.ringfence.fence.FenceKey;
import dev.ringfence.ordering.OrderPlace;
import dev.ringfence.outbox.EventAt;
import dev.ringfence.outbox.StorageException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
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
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Leases due events, in the caller's transaction (OB-2). */
@ApplicationScoped
public class ClaimRepository {

    /*
     * Whatever was chosen is leased; it was locked before. Each is looked up by its key in the weeks of the span only, which are the statement's own
     * values, for its plan (decision 15).
     */
    private static final String LEASE_CHOSEN = """
            update outbox_events e
            set status = 'CLAIMED', locked_by = ?, locked_until = ?, attempt_count = e.attempt_count + 1,
              last_attempt_at = ?, updated_at = ?
            from chosen c, tenant_lifecycle t
            where e.ordinal = any (array[c.ordinal]) and e.recorded_at is not distinct from c.recorded_at and %s
              and t.tenant_id = any (array[e.tenant_id])
            returning e.ordinal, e.recorded_at, e.tenant_id, e.app_id, e.epoch, t.fence_key, e.event_id, e.event_name,
              e.payload_sha256, e.attempt_count, c.taken_over,
              e.ordinal < coalesce((select a.enabled_from from app_cancellations a where a.app_id = e.app_id), 0), e.ordering_key, e.order_sequence,
              octet_length(e.payload_bytes)
            """.formatted(Span.on("e.recorded_at"));

    /* Each by its key, where it still waits. "% 1 = 0" makes the planner expect few of them, and "is not distinct" keeps it to the key. */
    static final String CLAIM_THESE = """
            with given as materialized (
              select ordinal, recorded_at from unnest(?::bigint[], ?::timestamptz[]) as g (ordinal, recorded_at)
              where ordinal %% 1 = 0 order by ordinal),
            chosen as materialized (
              select g.ordinal, g.recorded_at, false as taken_over from given g, lateral (
                select from outbox_events x
                where x.ordinal = any (array[g.ordinal]) and x.recorded_at is not distinct from g.recorded_at and %s
                  and x.status is not distinct from 'PENDING' and x.available_at <= ?
                for update skip locked) x)
            """.formatted(Span.on("x.recorded_at")) + LEASE_CHOSEN;

    /*
     * Expired leases first, as nobody else looks after them; then what is due, of each tenant the oldest: a loose index scan that jumps
     * from one tenant to the next. Rows that another publisher is claiming are skipped, so parallel publishers never wait for each other
     * here. States are literals, or no generic plan could use the partial indexes (D21). Nothing is recorded in weeks to come: without
     * them a plan takes a fifth of the time, and there is one for each claim.
     */
    static final String CHOOSE = """
            with recursive tenants as (
              (select e.tenant_id from outbox_events e
                where e.status in ('PENDING', 'FAILED_RETRYABLE') and e.tenant_id > ? and e.recorded_at < ?
                order by e.tenant_id limit 1)
              union all
              select n.tenant_id from tenants t, lateral (
                select e.tenant_id from outbox_events e
                where e.status in ('PENDING', 'FAILED_RETRYABLE') and e.tenant_id > t.tenant_id and e.recorded_at < ?
                order by e.tenant_id limit 1) n),
            expired as materialized (
              select ordinal, recorded_at, true as taken_over from outbox_events
              where status = 'CLAIMED' and locked_until < ? and recorded_at < ?
              order by locked_until limit ? for update skip locked),
            due as materialized (
              select c.ordinal, c.recorded_at, false as taken_over from tenants t, lateral (
                select e.ordinal, e.recorded_at from outbox_events e
                where e.status in ('PENDING', 'FAILED_RETRYABLE') and e.tenant_id = t.tenant_id and e.available_at <= ?
                  and e.recorded_at < ?
                order by e.available_at, e.ordinal limit ? for update skip locked) c
              limit ?)
            select * from expired union all select * from due
            """;

    static final String LEASE = """
            with chosen as materialized (
              select * from unnest(?::bigint[], ?::timestamptz[], ?::boolean[]) as g (ordinal, recorded_at, taken_over) where ordinal % 1 = 0)
            """ + LEASE_CHOSEN;

    /** Far more than the clocks of nodes and database may differ. */
    private static final Duration CLOCKS_APART = Duration.ofDays(1);

    private final DataSources sources;

    @Inject
    public ClaimRepository(DataSources sources) {
        this.sources = sources;
    }

    /** For the container's proxy. */
    protected ClaimRepository() {
        this(new DataSources());
    }

    /**
     * Claims events whose lease ran out, and events that are due.
     *
     * @param holder the new lease's holder, never used before but in this transaction
     */
    Claim claim(String holder, Turn turn, Instant now, Instant leaseUntil) {
        try (Connection connection = sources.jta().getConnection();
                Statement settings = connection.createStatement()) {
            settings.execute(Plans.FOLLOW_THE_INDEX + "; " + Plans.SOON_ENOUGH);
            List<Chosen> chosen = choose(connection, turn, now.atOffset(ZoneOffset.UTC));
            if (chosen.isEmpty()) {
                return new Claim(holder, leaseUntil, List.of(), 0, Turn.START);
            }
            List<Object> values = new ArrayList<>(keys(connection, chosen, Chosen::at));
            values.add(connection.createArrayOf(
                    "boolean", chosen.stream().map(Chosen::takenOver).toArray()));
            values.addAll(lease(holder, now, leaseUntil));
            values.addAll(span(chosen, Chosen::at));
            return claimed(holder, leaseUntil, connection, LEASE, values);
        } catch (SQLException e) {
            throw new StorageException("cannot claim events", e);
        }
    }

    /** An event that was locked; {@code takenOver} where another's lease ran out. */
    private record Chosen(EventAt at, boolean takenOver) {}

    private static List<Chosen> choose(Connection connection, Turn turn, OffsetDateTime at) throws SQLException {
        OffsetDateTime future = at.plus(CLOCKS_APART);
        Object[] values = {
            turn.after(), future, future, at, future, turn.expired(), at, future, turn.perTenant(), turn.due()
        };
        List<Chosen> chosen = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(CHOOSE)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    Instant recorded = rows.getObject(2, OffsetDateTime.class).toInstant();
                    chosen.add(new Chosen(new EventAt(rows.getLong(1), recorded), rows.getBoolean(3)));
                }
            }
        }
        return chosen;
    }

    /** As {@link #claim(String, Turn, Instant, Instant)}, of these events those that are due. */
    Claim claim(String holder, List<EventAt> events, Instant now, Instant leaseUntil) {
        try (Connection connection = sources.jta().getConnection();
                Statement settings = connection.createStatement()) {
            settings.execute(Plans.FOLLOW_THE_INDEX + "; " + Plans.SOON_ENOUGH);
            List<Object> values = new ArrayList<>(keys(connection, events, one -> one));
            values.addAll(span(events, one -> one));
            values.add(now.atOffset(ZoneOffset.UTC));
            values.addAll(lease(holder, now, leaseUntil));
            values.addAll(span(events, one -> one));
            return claimed(holder, leaseUntil, connection, CLAIM_THESE, values);
        } catch (SQLException e) {
            throw new StorageException("cannot claim events", e);
        }
    }

    private static <T> List<Object> keys(Connection connection, List<T> rows, Function<T, EventAt> key)
            throws SQLException {
        List<EventAt> keys = rows.stream().map(key).toList();
        return List.of(
                connection.createArrayOf(
                        "bigint", keys.stream().map(EventAt::ordinal).toArray()),
                connection.createArrayOf(
                        "timestamptz",
                        keys.stream().map(one -> one.recordedAt().toString()).toArray()));
    }

    private static <T> List<Object> span(List<T> rows, Function<T, EventAt> key) {
        return Span.of(rows.stream().map(key).map(EventAt::recordedAt).toList()).values();
    }

    private static List<Object> lease(String holder, Instant now, Instant until) {
        OffsetDateTime at = now.atOffset(ZoneOffset.UTC);
        return List.of(holder, until.atOffset(ZoneOffset.UTC), at, at);
    }

    private static Claim claimed(String holder, Instant until, Connection connection, String lease, List<Object> values)
            throws SQLException {
        List<ClaimedEvent> events = new ArrayList<>();
        int takenOver = 0;
        long lastTenant = Turn.START;
        try (PreparedStatement statement = connection.prepareStatement(lease)) {
            for (int i = 0; i < values.size(); i++) {
                statement.setObject(i + 1, values.get(i));
            }
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    ClaimedEvent event = event(rows);
                    events.add(event);
                    if (rows.getBoolean(11)) {
                        takenOver++;
                    } else {
                        lastTenant = Math.max(lastTenant, event.tenantId());
                    }
                }
            }
        }
        events.sort(Comparator.comparingLong(ClaimedEvent::ordinal));
        return new Claim(holder, until, events, takenOver, lastTenant);
    }

    private static @Nullable OrderPlace place(ResultSet row) throws SQLException {
        String key = row.getString(13);
        long sequence = row.getLong(14);
        return key == null || row.wasNull() ? null : new OrderPlace(key, sequence);
    }

    private static ClaimedEvent event(ResultSet row) throws SQLException {
        return new ClaimedEvent(
                row.getLong(1),
                row.getObject(2, OffsetDateTime.class).toInstant(),
                row.getLong(3),
                row.getObject(4, UUID.class),
                row.getObject(5, UUID.class),
                new FenceKey(row.getLong(6)),
                row.getString(7),
                row.getString(8),
                row.getBytes(9),
                row.getInt(15),
                row.getInt(10),
                row.getBoolean(12),
                place(row));
    }
}
