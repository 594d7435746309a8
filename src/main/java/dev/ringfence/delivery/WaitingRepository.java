package dev.ringfence.delivery;

import dev.ringfence.config.DataSources;
import dev.ringfence.outbox.StorageException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Counts what waits to be sent, never further than a limit (RC-10). */
@ApplicationScoped
public class WaitingRepository {

    /** States are literals so that their partial index serves. */
    private static final String COUNT = """
            select count(*)
              from (select from subscriptions s cross join lateral (
                      select from deliveries d
                       where d.tenant_id = s.tenant_id and d.subscription_id = s.id and d.state in ('pending', 'retrying')
                       limit ?) w
                     where s.tenant_id = ? and s.mode <> 'PULL'
                     limit ?) waiting""";

    private final DataSources sources;

    @Inject
    public WaitingRepository(DataSources sources) {
        this.sources = sources;
    }

    /** For the container's proxy. */
    protected WaitingRepository() {
        this(new DataSources());
    }

    /** Deliveries of one tenant that wait to be sent, at most {@code limit}; what waits to be fetched is not even looked at. */
    public long count(long tenantId, long limit) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(COUNT)) {
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
}
