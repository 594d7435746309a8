package dev.ringfence.audit;

import dev.ringfence.config.DataSources;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The append-only table {@code audit_log}. */
@ApplicationScoped
public class AuditRepository {

    private static final String INSERT =
            "insert into audit_log (at, actor, action, app_id, tenant_id, target, reason, detail)"
                    + " values (?, ?, ?, ?, ?, ?, ?, cast(? as jsonb))";

    private final DataSources sources;

    @Inject
    public AuditRepository(DataSources sources) {
        this.sources = sources;
    }

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    protected AuditRepository() {
        this.sources = null;
    }

    @SuppressWarnings("TooManyParameters") // one per column
    void insert(
            Instant at,
            String actor,
            String action,
            @Nullable UUID appId,
            @Nullable Long tenantId,
            String target,
            @Nullable String reason,
            @Nullable String detail) {
        DataSource jta = sources.jta();
        try (var connection = jta.getConnection();
                var statement = connection.prepareStatement(INSERT)) {
            Object[] values = {at.atOffset(ZoneOffset.UTC), actor, action, appId, tenantId, target, reason, detail};
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            statement.executeUpdate();
        } catch (SQLException failed) {
            throw new IllegalStateException("The audit entry could not be written.", failed);
        }
    }
}
