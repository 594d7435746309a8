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
                         and d.next_attempt_at <= ?::timestamptz
                       limit ?) w
                     where s.tenant_id = ? and s.mode <> 'PULL'
                     limit ?) waiting""";

    /** Before infinity, after whatever has a time. */
    private static final String LAST_DAY = "9999-12-31T00:00:00Z";

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
        return count(tenantId, "infinity", limit);
    }

    /** The same without what is held for others of its key (OB-5): only what goes before can make that less. */
    public long moving(long tenantId, long limit) {
        return count(tenantId, LAST_DAY, limit);
    }

    private long count(long tenantId, String dueUntil, long limit) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(COUNT)) {
            statement.setString(1, dueUntil);
            statement.setLong(2, limit);
            statement.setLong(3, tenantId);
            statement.setLong(4, limit);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        } catch (SQLException e) {
            throw new StorageException("cannot count waiting deliveries", e);
        }
    }
}
