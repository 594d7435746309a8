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

/** Counts the events that wait, never further than a limit (RC-10). States are literals so that their partial indexes serve. */
@ApplicationScoped
class QueueDepthRepository {
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
