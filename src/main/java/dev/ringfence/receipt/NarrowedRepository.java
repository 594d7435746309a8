package dev.ringfence.receipt;

import dev.ringfence.config.DataSources;
import dev.ringfence.delivery.DeliveryStorageException;
import dev.ringfence.subscription.Grants;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The statements of {@link RevokedConsent}, each in a transaction of its own. */
@ApplicationScoped
public class NarrowedRepository {
    private static final String CLAIM = """
            update subscriptions s set narrowed_look_at = ?
              from (select id from subscriptions where narrowed_look_at <= ?
                     order by narrowed_look_at limit ? for no key update skip locked) c
             where s.id = c.id
            returning s.id, s.tenant_id, s.grants, s.narrowed_at
            """;

    /** In the order in which they are due, which an index has; what moves on meanwhile is seen again or by the next pass. */
    private static final String PAGE = """
            select d.id, d.cycle, d.next_attempt_at, e.event_name
              from deliveries_live d
              left join lateral (
                select o.event_name from outbox_events o
                 where o.ordinal = d.event_ordinal and o.recorded_at = d.event_recorded_at limit 1) e on true
             where d.tenant_id = ? and d.subscription_id = ? and d.state in ('pending', 'retrying') and d.mode = 'PUSH'
               and (d.next_attempt_at, d.id) > (?, ?)
             order by d.next_attempt_at, d.id
             limit ?
            """;

    private static final String DONE = """
            update subscriptions set narrowed_at = null, narrowed_look_at = null where id = ? and narrowed_at = ?
            """;

    private static final String AGAIN = """
            update subscriptions set narrowed_look_at = ? where id = ? and narrowed_at = ?
            """;

    private final DataSources dataSources;

    /** A subscription whose grants were narrowed. */
    record Narrowed(UUID id, long tenantId, Grants grants, Instant since) {}

    /**
     * A delivery that waits, or is under way.
     *
     * @param eventName null for a test send
     */
    record Waiting(
            long id,
            int cycle,
            OffsetDateTime due,
            @Nullable String eventName) {}

    @Inject
    public NarrowedRepository(DataSources dataSources) {
        this.dataSources = dataSources;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    NarrowedRepository() {
        this(null);
    }

    /** Takes some that are to be looked at; nobody else takes them within that time. */
    @Transactional(Transactional.TxType.REQUIRES_NEW)
    List<Narrowed> claim(Instant now, Duration lease, int limit) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(CLAIM)) {
            statement.setObject(1, utc(now.plus(lease)));
            statement.setObject(2, utc(now));
            statement.setInt(3, limit);
            List<Narrowed> claimed = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    claimed.add(new Narrowed(
                            rows.getObject(1, UUID.class),
                            rows.getLong(2),
                            new Grants(List.of((String[]) rows.getArray(3).getArray())),
                            instant(rows, 4)));
                }
            }
            return claimed;
        } catch (SQLException e) {
            throw new DeliveryStorageException("look for narrowed grants", e);
        }
    }

    /** Those after the given one, or the first ones. */
    @Transactional(Transactional.TxType.REQUIRES_NEW)
    List<Waiting> page(Narrowed of, @Nullable Waiting after, int limit) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(PAGE)) {
            statement.setLong(1, of.tenantId());
            statement.setObject(2, of.id());
            statement.setObject(3, after == null ? OffsetDateTime.MIN : after.due());
            statement.setLong(4, after == null ? Long.MIN_VALUE : after.id());
            statement.setInt(5, limit);
            List<Waiting> page = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    page.add(new Waiting(
                            rows.getLong(1),
                            rows.getInt(2),
                            rows.getObject(3, OffsetDateTime.class),
                            rows.getString(4)));
                }
            }
            return page;
        } catch (SQLException e) {
            throw new DeliveryStorageException("look at what waits for narrowed grants", e);
        }
    }

    /** Nothing more is to be looked at, unless they were narrowed again. */
    @Transactional(Transactional.TxType.REQUIRES_NEW)
    void done(Narrowed one) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(DONE)) {
            statement.setObject(1, one.id());
            statement.setObject(2, utc(one.since()));
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new DeliveryStorageException("note what was looked at", e);
        }
    }

    /** Gives one back that is to be looked at again from then on, unless it was narrowed again. */
    @Transactional(Transactional.TxType.REQUIRES_NEW)
    void again(Narrowed one, Instant from) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(AGAIN)) {
            statement.setObject(1, utc(from));
            statement.setObject(2, one.id());
            statement.setObject(3, utc(one.since()));
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new DeliveryStorageException("leave narrowed grants to the next look", e);
        }
    }

    private static OffsetDateTime utc(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }

    private static Instant instant(ResultSet rows, int column) throws SQLException {
        return rows.getObject(column, OffsetDateTime.class).toInstant();
    }
}
