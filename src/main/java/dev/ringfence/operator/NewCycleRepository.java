package dev.ringfence.operator;

import dev.ringfence.config.DataSources;
import dev.ringfence.delivery.DeliveryStorageException;
import dev.ringfence.ordering.OrderedKey;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Finds deliveries that may be sent once more, and opens their new cycle (DL-1), in the caller's transaction. */
@ApplicationScoped
class NewCycleRepository {

    private static final String TENANT = "select d.tenant_id from deliveries d where d.app_id = ? and d.id = ?";

    private static final String LOCK = """
            select d.id, d.created_at, d.tenant_id, d.epoch, d.subscription_id, d.state, d.order_key, d.reservation_id is not null as open,
                   d.discarded,
                   d.last_code is distinct from 'BODY_TOO_LARGE' and (d.body_bytes is not null or exists (
                     select from outbox_events e
                      where e.ordinal = d.event_ordinal and e.recorded_at = d.event_recorded_at)) as retained,
                   (select s.status from subscriptions s where s.id = d.subscription_id) as subscription
              from deliveries d
             where d.app_id = ? and d.id = ?
               for no key update of d
            """;

    private static final String DISCARD = "update deliveries set discarded = true, updated_at = ?"
            + " where id = ? and created_at = ? and state = 'dead' and not discarded";

    private static final String IN_WINDOW = """
            from deliveries d
             where d.tenant_id = ? and d.subscription_id = ? and d.created_at >= ? and d.created_at < ? and d.state = any (?)
               and not d.test
            """;

    private static final String COUNT = "select count(*) " + IN_WINDOW;

    private static final String NEXT = "select d.id, d.created_at " + IN_WINDOW
            + " and (d.created_at, d.id) > (?, ?) order by d.created_at, d.id limit ?";

    /**
     * The bounds on the creation let PostgreSQL leave out the other weeks. What somebody else has in hand, what is in flight, discarded, of
     * an earlier epoch, or without its bytes stays as it is. URL and headers are the subscription's of now (SB-4); the error is reset, the
     * ledger and the first acceptance stay (DL-3). One that keeps an order waits for its turn again, and is marked where later ones have
     * left meanwhile (OB-5), of which the next thousand are looked at.
     */
    private static final String OPEN = """
            with held as materialized (
              select d.id from deliveries d
               where d.id = any (?) and d.created_at >= ? and d.created_at <= ? and d.state = any (?) and d.epoch = ?
                 and d.reservation_id is null and not d.discarded and d.last_code is distinct from 'BODY_TOO_LARGE'
                 and (d.body_bytes is not null or exists (
                   select from outbox_events e where e.ordinal = d.event_ordinal and e.recorded_at = d.event_recorded_at))
               order by d.id
                 for no key update of d skip locked
            )
            update deliveries d
               set state = 'pending', cycle = d.cycle + 1, cycle_started_at = n.at, cycle_attempts = 0,
                   next_attempt_at = case when d.order_key is not null and s.ordering = 'KEY' then 'infinity' else n.at end,
                   out_of_order = d.out_of_order or (d.order_key is not null and s.ordering = 'KEY' and exists (
                     select from (
                       select l.attempts, l.next_attempt_at from deliveries l
                        where l.subscription_id = d.subscription_id and l.order_key = d.order_key and l.order_sequence > d.order_sequence
                        order by l.order_sequence limit 1000) later
                      where later.attempts > 0 or later.next_attempt_at < 'infinity')),
                   last_code = null, last_status = null, url = s.url, headers = s.headers, finished_at = null, updated_at = n.at
              from held h, subscriptions s, (select ?::timestamptz as at) n
             where d.id = any (array[h.id]) and d.created_at >= ? and d.created_at <= ? and s.id = any (array[d.subscription_id])
            returning d.subscription_id, d.order_key, d.out_of_order
            """;

    private final DataSources sources;

    @Inject
    NewCycleRepository(DataSources sources) {
        this.sources = sources;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    NewCycleRepository() {
        this(null);
    }

    /** A place in the order of creation. */
    record Place(long id, Instant createdAt) {}

    /**
     * What {@link #open} opened.
     *
     * @param queues in which something waits again (OB-5)
     * @param outOfOrder how many of them come after later ones of their key
     */
    record Opened(int count, Set<OrderedKey> queues, int outOfOrder) {}

    /** Whose the delivery is, if it is this application's. */
    Optional<Long> tenantOf(UUID appId, long delivery) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = bound(connection, TENANT, appId, delivery);
                ResultSet rows = statement.executeQuery()) {
            return rows.next() ? Optional.of(rows.getLong(1)) : Optional.empty();
        } catch (SQLException e) {
            throw new DeliveryStorageException("look for a delivery", e);
        }
    }

    /** The delivery, locked until the transaction ends. */
    Optional<OldDelivery> lock(UUID appId, long delivery) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = bound(connection, LOCK, appId, delivery);
                ResultSet rows = statement.executeQuery()) {
            return rows.next() ? Optional.of(delivery(rows)) : Optional.empty();
        } catch (SQLException e) {
            throw new DeliveryStorageException("lock a delivery", e);
        }
    }

    /** Marks a dead delivery as given up for good; false where it is not dead, or marked already. */
    boolean discard(OldDelivery old, Instant now) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = bound(connection, DISCARD, utc(now), old.id(), utc(old.createdAt()))) {
            return statement.executeUpdate() == 1;
        } catch (SQLException e) {
            throw new DeliveryStorageException("discard a delivery", e);
        }
    }

    /** How many deliveries are in the window now. */
    long count(long tenantId, Replay replay) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = bound(connection, COUNT, window(connection, tenantId, replay));
                ResultSet rows = statement.executeQuery()) {
            rows.next();
            return rows.getLong(1);
        } catch (SQLException e) {
            throw new DeliveryStorageException("count deliveries of a window", e);
        }
    }

    /** The next deliveries of the window in the order of their creation. */
    List<Place> next(long tenantId, Replay replay, int most) {
        Instant placeAt = replay.placeAt();
        try (Connection connection = sources.jta().getConnection()) {
            Object[] window = window(connection, tenantId, replay);
            try (PreparedStatement statement = bound(
                            connection,
                            NEXT,
                            window[0],
                            window[1],
                            window[2],
                            window[3],
                            window[4],
                            utc(placeAt == null ? replay.from() : placeAt),
                            placeAt == null ? 0L : replay.placeId(),
                            most);
                    ResultSet rows = statement.executeQuery()) {
                List<Place> found = new ArrayList<>();
                while (rows.next()) {
                    found.add(new Place(
                            rows.getLong(1),
                            rows.getObject(2, OffsetDateTime.class).toInstant()));
                }
                return found;
            }
        } catch (SQLException e) {
            throw new DeliveryStorageException("look for deliveries of a window", e);
        }
    }

    /**
     * Opens a new cycle for those of the deliveries that may have one.
     *
     * @param places in the order of their creation, not empty
     * @return what was opened
     */
    Opened open(List<Place> places, List<String> states, UUID epoch, Instant now) {
        OffsetDateTime oldest = utc(places.get(0).createdAt());
        OffsetDateTime newest = utc(places.get(places.size() - 1).createdAt());
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = bound(
                        connection,
                        OPEN,
                        connection.createArrayOf(
                                "bigint", places.stream().map(Place::id).toArray()),
                        oldest,
                        newest,
                        connection.createArrayOf("text", states.toArray()),
                        epoch,
                        utc(now),
                        oldest,
                        newest)) {
            return opened(statement);
        } catch (SQLException e) {
            throw new DeliveryStorageException("open a new cycle", e);
        }
    }

    private static Opened opened(PreparedStatement statement) throws SQLException {
        int count = 0;
        int outOfOrder = 0;
        Set<OrderedKey> queues = new HashSet<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                count++;
                outOfOrder += rows.getBoolean(3) ? 1 : 0;
                String key = rows.getString(2);
                if (key != null) {
                    queues.add(new OrderedKey(rows.getObject(1, UUID.class), key));
                }
            }
        }
        return new Opened(count, queues, outOfOrder);
    }

    private static Object[] window(Connection connection, long tenantId, Replay replay) throws SQLException {
        return new Object[] {
            tenantId,
            replay.subscriptionId(),
            utc(replay.from()),
            utc(replay.to()),
            connection.createArrayOf("text", replay.states().toArray())
        };
    }

    private static OldDelivery delivery(ResultSet row) throws SQLException {
        return new OldDelivery(
                row.getLong("id"),
                row.getObject("created_at", OffsetDateTime.class).toInstant(),
                row.getLong("tenant_id"),
                row.getObject("epoch", UUID.class),
                row.getObject("subscription_id", UUID.class),
                row.getString("state"),
                row.getString("order_key"),
                row.getBoolean("open"),
                row.getBoolean("discarded"),
                row.getBoolean("retained"),
                row.getString("subscription"));
    }

    private static OffsetDateTime utc(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }

    private static PreparedStatement bound(Connection connection, String sql, @Nullable Object... values)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }
}
