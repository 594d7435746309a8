package dev.ringfence.fanout;

import dev.ringfence.config.DataSources;
import dev.ringfence.fence.FenceKey;
import dev.ringfence.fence.SqlFunction;
import dev.ringfence.lifecycle.LifecycleRepository;
import dev.ringfence.lifecycle.TenantLifecycle;
import dev.ringfence.outbox.StorageException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a publish transaction asks and tells about events, all of a batch at once. */
@ApplicationScoped
public class PublicationRepository {

    private static final String TRY_FENCES =
            "select key from unnest(?::bigint[]) key where pg_try_advisory_xact_lock_shared(key)";

    /*
     * As many as there is room for, in the order of their ordinals, and the first in any case. Their sizes are known without reading
     * those that are stored out of line.
     */
    private static final String ENVELOPES = """
            select s.ordinal, case when s.first or s.so_far <= ? then s.payload_bytes end
            from (select e.ordinal, e.payload_bytes, row_number() over w = 1 as first,
                    sum(octet_length(e.payload_bytes)) over w as so_far
                  from unnest(?::bigint[], ?::timestamptz[]) a(ordinal, recorded_at)
                  join outbox_events e on e.ordinal = any (array[a.ordinal]) and e.recorded_at is not distinct from a.recorded_at and %s
                  window w as (order by e.ordinal rows unbounded preceding)) s
            """.formatted(Span.on("e.recorded_at"));

    /*
     * The lease is checked and its rows are locked in the order of their ordinals (D20) before any is changed; a row that is not
     * returned belongs to somebody else by now. The planner knows little of an outbox that has just filled: "% 1 = 0" makes it expect
     * few rows, so that it looks each up instead of comparing each of the batch with each, and "is not distinct" keeps the look-ups off
     * the index of leases, which seems empty to it.
     */
    static final String MOVE = """
            with held as materialized (
              select m.*
              from (
                select *
                from unnest(?::bigint[], ?::timestamptz[], ?::text[], ?::timestamptz[], ?::text[], ?::text[], ?::int[])
                  given(ordinal, recorded_at, status, available_at, code, message, attempts)
                where ordinal %% 1 = 0 order by ordinal) m,
              lateral (
                select from outbox_events x
                where x.ordinal = any (array[m.ordinal]) and x.recorded_at is not distinct from m.recorded_at and %s
                  and x.status is not distinct from 'CLAIMED'
                  and x.locked_by = ?
                for update) e)
            update outbox_events e
            set status = h.status, available_at = coalesce(h.available_at, e.available_at), attempt_count = h.attempts,
              published_at = case when h.status = 'PUBLISHED' then ?::timestamptz end,
              last_error_code = h.code, last_error_message = h.message,
              locked_by = null, locked_until = null, updated_at = ?::timestamptz
            from held h
            where e.ordinal = any (array[h.ordinal]) and e.recorded_at is not distinct from h.recorded_at and %s
            returning e.ordinal
            """.formatted(Span.on("x.recorded_at"), Span.on("e.recorded_at"));

    private final DataSources sources;
    private final LifecycleRepository lifecycles;

    @Inject
    public PublicationRepository(DataSources sources, LifecycleRepository lifecycles) {
        this.sources = sources;
        this.lifecycles = lifecycles;
    }

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    protected PublicationRepository() {
        this.sources = null;
        this.lifecycles = null;
    }

    /** Keeps the transaction's statements to their indexes; comes first. */
    void followIndexes() {
        try (Connection connection = sources.jta().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(Plans.FOLLOW_THE_INDEX);
        } catch (SQLException e) {
            throw new StorageException("cannot prepare to publish", e);
        }
    }

    /** Tries the shared fences until the transaction ends, in one round trip and in ascending order; never waits (FN-1). */
    Set<FenceKey> tryFences(Collection<FenceKey> keys) {
        return new HashSet<>(query(
                "cannot take fences", TRY_FENCES, row -> new FenceKey(row.getLong(1)), connection -> new Object[] {
                    array(
                            connection,
                            "bigint",
                            keys.stream().distinct().sorted().map(FenceKey::value))
                }));
    }

    /** The tenants' rows as they are now: call it after {@link #tryFences} (FN-4). */
    Map<Long, TenantLifecycle> lifecycles(Collection<Long> tenantIds) {
        try (Connection connection = sources.jta().getConnection()) {
            return lifecycles.readOn(connection, tenantIds);
        } catch (SQLException e) {
            throw new StorageException("cannot read lifecycles", e);
        }
    }

    /**
     * The stored envelopes, as many of them as have room together.
     *
     * @param events in the order of their ordinals
     * @param most bytes of them all; the first is read whatever its size
     */
    Envelopes envelopes(List<ClaimedEvent> events, long most) {
        Span span = Span.of(events.stream().map(ClaimedEvent::recordedAt).toList());
        Map<Long, byte[]> read = new HashMap<>();
        Set<Long> left = new HashSet<>();
        query(
                "cannot read envelopes",
                ENVELOPES,
                row -> {
                    byte[] envelope = row.getBytes(2);
                    return envelope == null ? left.add(row.getLong(1)) : read.put(row.getLong(1), envelope) == null;
                },
                connection -> new Object[] {
                    most,
                    array(connection, "bigint", events.stream().map(ClaimedEvent::ordinal)),
                    array(
                            connection,
                            "timestamptz",
                            events.stream().map(event -> event.recordedAt().toString())),
                    span.from(),
                    span.until(),
                    span.from()
                });
        return new Envelopes(read, left);
    }

    /**
     * Ends the lease of each event with its move, by compare-and-swap on the holder.
     *
     * @return the ordinals of those that were still held
     */
    Set<Long> move(String holder, List<OutboxMove> moves, Instant now) {
        if (moves.isEmpty()) {
            return Set.of();
        }
        Span span =
                Span.of(moves.stream().map(move -> move.event().recordedAt()).toList());
        return new HashSet<>(query("cannot move events", MOVE, row -> row.getLong(1), connection -> new Object[] {
            column(connection, "bigint", moves, move -> move.event().ordinal()),
            column(
                    connection,
                    "timestamptz",
                    moves,
                    move -> move.event().recordedAt().toString()),
            column(connection, "text", moves, move -> move.status().name()),
            column(
                    connection,
                    "timestamptz",
                    moves,
                    move -> move.availableAt() == null
                            ? null
                            : move.availableAt().toString()),
            column(
                    connection,
                    "text",
                    moves,
                    move -> move.code() == null ? null : move.code().name()),
            column(
                    connection,
                    "text",
                    moves,
                    move -> move.code() == null ? null : move.code().text()),
            column(connection, "int", moves, OutboxMove::attempts),
            span.from(),
            span.until(),
            span.from(),
            holder,
            now.toString(),
            now.toString(),
            span.from(),
            span.until(),
            span.from()
        }));
    }

    private static Array column(
            Connection connection, String type, List<OutboxMove> moves, Function<OutboxMove, @Nullable Object> value)
            throws SQLException {
        return array(connection, type, moves.stream().map(value));
    }

    private static Array array(Connection connection, String type, Stream<?> values) throws SQLException {
        return connection.createArrayOf(type, values.toArray());
    }

    private <T> List<T> query(
            String failure, String sql, SqlFunction<ResultSet, T> read, SqlFunction<Connection, Object[]> parameters) {
        List<T> found = new ArrayList<>();
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            Object[] values = parameters.apply(connection);
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(read.apply(rows));
                }
            }
            return found;
        } catch (SQLException e) {
            throw new StorageException(failure, e);
        }
    }
}
