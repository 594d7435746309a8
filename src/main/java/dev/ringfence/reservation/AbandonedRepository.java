package dev.ringfence.reservation;

import dev.ringfence.config.DataSources;
import dev.ringfence.delivery.DeliveryStorageException;
import dev.ringfence.ordering.OrderedKey;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Finds and closes attempts whose owner is gone. */
@ApplicationScoped
public class AbandonedRepository {
    /** The number keeps the planner from going through all that lives in the order of the ids: few are past their lease, and those have an index. */
    private static final String FIND = """
            select f.id from (
              select d.id from deliveries_live d
               where d.reservation_id is not null and d.lease_until < statement_timestamp() and d.id + 0 > ? offset 0) f
             order by f.id limit ?
            """;

    /** Rows whose tenant's fence is taken exclusively, or that somebody else has locked, are left for the next time. */
    private static final String CLOSE = """
            with bounds as materialized (
              select set_config('lock_timeout', '2s', true), ?::timestamptz as now,
                ?::bigint * interval '1 millisecond' as max_age, ?::integer as max_attempts
            ), open as materialized (
              select d.id, d.created_at, d.tenant_id, d.subscription_id, d.reservation_id, d.attempts, d.cycle_attempts,
                     d.cycle_started_at, d.test
                from deliveries_live d
               where d.id = any (?::bigint[]) and d.reservation_id is not null and d.lease_until < statement_timestamp()
               order by d.id
               for no key update of d skip locked
            ), fenced as materialized (
              select t.tenant_id from (select distinct tenant_id from open) o
                join tenant_lifecycle t on t.tenant_id = any (array[o.tenant_id])
               where pg_try_advisory_xact_lock_shared(t.fence_key)
            ), verdict as materialized (
              select o.id, o.created_at, o.reservation_id, o.attempts,
                case when b.now >= o.cycle_started_at + b.max_age then 'EXPIRED'
                     when o.test or o.cycle_attempts >= least(b.max_attempts, coalesce(s.retry_attempts, b.max_attempts)) then 'EXHAUSTED'
                     else 'ABANDONED' end as code,
                coalesce(s.semantics = 'AT_MOST_ONCE', false) as once
                from open o
                join fenced f on f.tenant_id = o.tenant_id
                left join subscriptions s on s.id = any (array[o.subscription_id]), bounds b
            ), ledger as (
              update delivery_attempts a set state = 'UNCERTAIN', code = 'ABANDONED', finished_at = b.now
                from verdict v, bounds b
               where a.delivery_id = any (array[v.id]) and a.number = v.attempts and a.delivery_created_at = v.created_at
                 and a.reservation_id = v.reservation_id and a.state = 'SENDING'
              returning v.id, v.code, v.once or v.code <> 'ABANDONED' as over, b.now
            )
            update deliveries d
               set state = case when l.over then 'dead' else 'retrying' end,
                   next_attempt_at = case when not l.over then greatest(d.next_attempt_at, l.now) end,
                   finished_at = case when l.over then l.now end,
                   last_code = l.code, last_status = null, reservation_id = null, reserved_by = null, send_by = null,
                   lease_until = null, updated_at = l.now
              from ledger l
             where d.id = any (array[l.id]) and d.state not in ('delivered', 'failed', 'dead', 'skipped_filter')
            returning d.id, d.attempts, d.state, d.last_code, d.test, d.subscription_id,
              case when d.state = 'dead' then d.order_key end
            """;

    private final DataSources dataSources;

    /**
     * A delivery whose open attempt was closed.
     *
     * @param attempt the attempt's number
     * @param state of the delivery now
     * @param code the delivery's; the attempt's is {@code ABANDONED}
     * @param freed the key whose turn it was, where the delivery was ordered and has ended (OB-5)
     */
    public record Closed(
            long deliveryId, int attempt, String state, String code, boolean test, Optional<OrderedKey> freed) {}

    @Inject
    public AbandonedRepository(DataSources dataSources) {
        this.dataSources = dataSources;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    AbandonedRepository() {
        this(null);
    }

    List<Long> find(long afterId, int limit) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(FIND)) {
            statement.setLong(1, afterId);
            statement.setInt(2, limit);
            List<Long> ids = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    ids.add(rows.getLong(1));
                }
            }
            return ids;
        } catch (SQLException e) {
            throw new DeliveryStorageException("look for abandoned attempts", e);
        }
    }

    /** Closes; returns those that were closed. */
    List<Closed> close(List<Long> ids, OffsetDateTime now, Duration maxAge, int maxAttempts) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(CLOSE)) {
            statement.setObject(1, now);
            statement.setLong(2, maxAge.toMillis());
            statement.setInt(3, maxAttempts);
            statement.setArray(4, connection.createArrayOf("bigint", ids.toArray()));
            List<Closed> closed = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    closed.add(new Closed(
                            rows.getLong(1),
                            rows.getInt(2),
                            rows.getString(3),
                            rows.getString(4),
                            rows.getBoolean(5),
                            key(rows.getObject(6, UUID.class), rows.getString(7))));
                }
            }
            return closed;
        } catch (SQLException e) {
            throw new DeliveryStorageException("close abandoned attempts", e);
        }
    }

    private static Optional<OrderedKey> key(UUID subscription, @Nullable String key) {
        return key == null ? Optional.empty() : Optional.of(new OrderedKey(subscription, key));
    }
}
