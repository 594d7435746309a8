package dev.ringfence.recording;

import dev.ringfence.config.DataSources;
import dev.ringfence.outbox.StorageException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** Counts what waits, never further than a limit (RC-10). States are literals so that their partial indexes serve. */
@ApplicationScoped
class QueueDepthRepository {
    private static final String DELIVERIES = """
            select count(*)
              from (select from subscriptions s cross join lateral (
                      select from deliveries d
                       where d.tenant_id = s.tenant_id and d.subscription_id = s.id and d.state in ('pending', 'retrying')
                       limit ?) w
                     where s.tenant_id = ? and s.mode <> 'PULL'
                     limit ?) waiting""";

    private static final String EVENTS = """
            select tenant_id, count(*)
              from (select tenant_id from outbox_events where status in ('PENDING', 'FAILED_RETRYABLE') limit ?) waiting
             group by tenant_id""";

    private final DataSources dataSources;

    @Inject
    QueueDepthRepository(DataSources dataSources) {
        this.dataSources = dataSources;
    }

    /** For the container's proxy. */
    QueueDepthRepository() {
        this(new DataSources());
    }

    /** Deliveries of one tenant that wait to be sent, at most {@code limit}; what waits to be fetched is not even looked at. */
    long deliveries(long tenantId, long limit) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(DELIVERIES)) {
            statement.setLong(1, limit);
            statement.setLong(2, tenantId);
            statement.setLong(3, limit);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        } catch (SQLException e) {
            throw new StorageException("cannot count waiting deliveries", e);
        }
    }

    /** Events that wait for fan-out, by tenant, at most {@code limit} of all tenants together. */
    Map<Long, Long> events(long limit) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(EVENTS)) {
            statement.setLong(1, limit);
            try (ResultSet rows = statement.executeQuery()) {
                Map<Long, Long> counts = new HashMap<>();
                while (rows.next()) {
                    counts.put(rows.getLong(1), rows.getLong(2));
                }
                return counts;
            }
        } catch (SQLException e) {
            throw new StorageException("cannot count waiting events", e);
        }
    }
}
