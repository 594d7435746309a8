package dev.ringfence.receipt;

import dev.ringfence.config.DataSources;
import dev.ringfence.config.Settings;
import dev.ringfence.delivery.DeliveryState;
import dev.ringfence.delivery.DeliveryStorageException;
import dev.ringfence.transport.OutcomeCode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Tells which deliveries that die without another request their receivers let die (SB-6). */
@ApplicationScoped
public class BlameRepository {

    /**
     * Only where an attempt of the cycle ended by the receiver's doing, and where it was not we who let the delivery wait: it expires in the moment that
     * was the earliest for its next attempt, or while the receiver's circuit is not closed. Whatever else waits too long waited for a pause to end, for a
     * limit, or for nodes that did not run. Each is looked up, in whatever order statistics suggest.
     */
    private static final String BLAME = """
            select g.id from unnest(?::bigint[], ?::boolean[]) as g (id, expired), lateral (
                select x.created_at, x.cycle, x.subscription_id,
                       x.next_attempt_at >= x.cycle_started_at + ?::bigint * interval '1 millisecond' as in_time
                  from deliveries_live x where x.id = any (array[g.id]) limit 1) d
             where (not g.expired or d.in_time or exists (
                     select from subscriptions s where s.id = d.subscription_id and s.circuit <> 'CLOSED'))
               and exists (
                     select from delivery_attempts a
                      where a.delivery_id = any (array[g.id]) and a.delivery_created_at = d.created_at and a.cycle = d.cycle
                        and a.state in ('FAILED', 'UNCERTAIN', 'NOT_SENT') and a.code not in ('ABANDONED', 'FENCE_LOST'))
            """;

    private final DataSources dataSources;
    private final Settings settings;

    @Inject
    public BlameRepository(DataSources dataSources, Settings settings) {
        this.dataSources = dataSources;
        this.settings = settings;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    BlameRepository() {
        this(null, null);
    }

    /** The ids of those that die by their receiver's doing; to be asked before they end. */
    Set<Long> ofReceivers(List<Conclusion> conclusions) {
        List<Conclusion> dying = conclusions.stream()
                .filter(one -> one.state() == DeliveryState.DEAD)
                .toList();
        if (dying.isEmpty()) {
            return Set.of();
        }
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(BLAME)) {
            Long[] ids = dying.stream().map(Conclusion::deliveryId).toArray(Long[]::new);
            Boolean[] expired =
                    dying.stream().map(one -> one.code() == OutcomeCode.EXPIRED).toArray(Boolean[]::new);
            statement.setArray(1, connection.createArrayOf("bigint", ids));
            statement.setArray(2, connection.createArrayOf("boolean", expired));
            statement.setLong(3, settings.maxAge().toMillis());
            Set<Long> blamed = new HashSet<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    blamed.add(rows.getLong(1));
                }
            }
            return blamed;
        } catch (SQLException e) {
            throw new DeliveryStorageException("tell who let deliveries die", e);
        }
    }
}
