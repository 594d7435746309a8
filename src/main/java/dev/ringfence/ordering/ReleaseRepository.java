package dev.ringfence.ordering;

import dev.ringfence.config.DataSources;
import dev.ringfence.delivery.DeliveryStorageException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/** The statements of {@link Releases}, and what {@link OrderManagement} counts. */
@ApplicationScoped
public class ReleaseRepository {
    /**
     * One statement, so that all of it is judged by one snapshot: the head of each queue is the live delivery with the lowest number; it is
     * released if it is held, no event of the key with a lower number still waits for fan-out, and no dead one with a lower number blocks (a
     * disabled subscription's block nobody: all that it has fails in its turn). An event and its
     * deliveries change places in one commit, so a lower one is seen as the one or as the other. Of a subscription that wants no order (any
     * more) all held ones go, some at a time. The age of a delivery counts from its release. The offset keeps the planner from making a join
     * of the look at events, which it would do without the number.
     */
    static final String RELEASE = """
            with bounds as materialized (
              select set_config('lock_timeout', '2s', true), ?::timestamptz as now
            ), asked as materialized (
              select distinct k.subscription_id, k.order_key, s.ordering, s.on_dead = 'BLOCK' and s.status <> 'DISABLED' as blocks
                from unnest(?::uuid[], ?::text[]) as k (subscription_id, order_key)
                join subscriptions s on s.id = k.subscription_id
            ), turns as materialized (
              select h.id, true as ordered
                from asked a
               cross join lateral (
                 select d.id, d.tenant_id, d.order_sequence, d.next_attempt_at from deliveries_live d
                  where d.subscription_id = a.subscription_id and d.order_key = a.order_key
                  order by d.order_sequence limit 1) h
               where a.ordering = 'KEY' and h.next_attempt_at = 'infinity'
                 and not exists (
                   select from outbox_events e
                    where e.tenant_id = h.tenant_id and e.ordering_key = a.order_key and e.order_sequence < h.order_sequence
                      and e.status in ('PENDING', 'CLAIMED', 'FAILED_RETRYABLE') offset 0)
                 and not (a.blocks and exists (
                   select from order_blocks b
                    where b.subscription_id = a.subscription_id and b.order_key = a.order_key and b.order_sequence < h.order_sequence))
              union all
              (select h.id, false
                from asked a
               cross join lateral (
                 select d.id from deliveries_live d
                  where d.subscription_id = a.subscription_id and d.order_key = a.order_key and d.next_attempt_at = 'infinity'
                  order by d.order_sequence limit 1000) h
               where a.ordering <> 'KEY' limit 5000)
            ), held as materialized (
              select d.id, d.subscription_id, d.order_key, d.order_sequence from deliveries_live d
               where d.id = any (array(select t.id from turns t)) and d.next_attempt_at = 'infinity'
               order by d.id
                 for no key update of d skip locked
            )
            update deliveries_live d
               set next_attempt_at = b.now, cycle_started_at = b.now, updated_at = b.now,
                   out_of_order = d.out_of_order or (t.ordered and d.cycle > 1 and exists (
                     select from (
                       select l.next_attempt_at from deliveries_live l
                        where l.subscription_id = h.subscription_id and l.order_key = h.order_key
                          and l.order_sequence > h.order_sequence
                        order by l.order_sequence limit 1000) later
                      where later.next_attempt_at < 'infinity'))
              from held h join turns t on t.id = h.id, bounds b
             where d.id = any (array[h.id]) and d.next_attempt_at = 'infinity'
            """;

    /** A loose index scan: from one queue to the next, however much waits in them. */
    static final String QUEUES = """
            with recursive queues as (
              (select d.subscription_id, d.order_key from deliveries_live d
                where d.order_key is not null and (d.subscription_id, d.order_key) > (?::uuid, ?::text)
                order by d.subscription_id, d.order_key limit 1)
              union all
              select n.subscription_id, n.order_key
                from queues q, lateral (
                  select d.subscription_id, d.order_key from deliveries_live d
                   where d.order_key is not null and (d.subscription_id, d.order_key) > (q.subscription_id, q.order_key)
                   order by d.subscription_id, d.order_key limit 1) n
            )
            select subscription_id, order_key from queues limit ?
            """;

    private static final String HELD = "select count(*) from (select from deliveries_live d"
            + " where d.order_key is not null and d.next_attempt_at = 'infinity' limit ?) some_rows";

    private static final String BLOCKED =
            "select count(*) from (select distinct b.subscription_id, b.order_key from order_blocks b"
                    + " join subscriptions s on s.id = b.subscription_id and s.ordering = 'KEY' and s.on_dead = 'BLOCK' limit ?) some_keys";

    private final DataSources dataSources;

    @Inject
    public ReleaseRepository(DataSources dataSources) {
        this.dataSources = dataSources;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    ReleaseRepository() {
        this(null);
    }

    int release(Collection<OrderedKey> queues, OffsetDateTime now) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(RELEASE)) {
            statement.setObject(1, now);
            UUID[] subscriptions =
                    queues.stream().map(OrderedKey::subscriptionId).toArray(UUID[]::new);
            statement.setArray(2, connection.createArrayOf("uuid", subscriptions));
            String[] keys = queues.stream().map(OrderedKey::key).toArray(String[]::new);
            statement.setArray(3, connection.createArrayOf("text", keys));
            return statement.executeUpdate();
        } catch (SQLException e) {
            throw new DeliveryStorageException("release held deliveries", e);
        }
    }

    List<OrderedKey> queuesAfter(OrderedKey place, int most) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(QUEUES)) {
            statement.setObject(1, place.subscriptionId());
            statement.setString(2, place.key());
            statement.setInt(3, most);
            List<OrderedKey> queues = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    queues.add(new OrderedKey(rows.getObject(1, UUID.class), rows.getString(2)));
                }
            }
            return queues;
        } catch (SQLException e) {
            throw new DeliveryStorageException("look for held deliveries", e);
        }
    }

    /** How many deliveries are held; counts no further than {@code most}. */
    long held(int most) {
        return count(HELD, most);
    }

    /** How many queues a dead delivery holds; counts no further than {@code most}. */
    long blocked(int most) {
        return count(BLOCKED, most);
    }

    private long count(String sql, int most) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setInt(1, most);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getLong(1);
            }
        } catch (SQLException e) {
            throw new DeliveryStorageException("count held deliveries", e);
        }
    }
}
