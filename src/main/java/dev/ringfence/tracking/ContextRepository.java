package dev.ringfence.tracking;

import dev.ringfence.config.DataSources;
import dev.ringfence.outbox.StorageException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Changes a tenant's tracking context, one statement each, in the caller's transaction and under the shared fence. Each change locks the
 * row; none makes a row or activates one (LC-2).
 */
@ApplicationScoped
class ContextRepository {
    private static final String RETURNING =
            " returning configuration_revision, published_theme_id, theme_checked_at, enabled, enable_generation";

    private static final String REVISION = """
            update tenant_lifecycle
               set configuration_revision = greatest(configuration_revision, ?), updated_at = ?
             where tenant_id = ? and epoch = ? and phase = 'ACTIVE'""" + RETURNING;

    private static final String THEME = """
            update tenant_lifecycle
               set published_theme_id = ?, theme_checked_at = ?, updated_at = ?
             where tenant_id = ? and epoch = ? and phase = 'ACTIVE'
               and (theme_checked_at is null or theme_checked_at <= ?)""" + RETURNING;

    private static final String ENABLED = """
            update tenant_lifecycle
               set enable_generation = enable_generation + case when ? and not enabled then 1 else 0 end,
                   enabled = ?, updated_at = ?
             where tenant_id = ? and epoch = ? and phase = 'ACTIVE'""" + RETURNING;

    private final DataSources dataSources;

    @Inject
    ContextRepository(DataSources dataSources) {
        this.dataSources = dataSources;
    }

    /** For the container's proxy. */
    ContextRepository() {
        this(new DataSources());
    }

    /** Moves the revision forward, never back; empty where the epoch is not the tenant's. */
    Optional<TrackingContext> revision(long tenantId, UUID epoch, long revision, Instant now) {
        return change(REVISION, statement -> {
            statement.setLong(1, revision);
            statement.setObject(2, now.atOffset(ZoneOffset.UTC));
            statement.setLong(3, tenantId);
            statement.setObject(4, epoch);
        });
    }

    /** Notes which theme is published; empty where the epoch is not the tenant's or a later check is noted already. */
    Optional<TrackingContext> theme(
            long tenantId, UUID epoch, @Nullable String themeId, Instant checkedAt, Instant now) {
        return change(THEME, statement -> {
            statement.setString(1, themeId);
            statement.setObject(2, checkedAt.atOffset(ZoneOffset.UTC));
            statement.setObject(3, now.atOffset(ZoneOffset.UTC));
            statement.setLong(4, tenantId);
            statement.setObject(5, epoch);
            statement.setObject(6, checkedAt.atOffset(ZoneOffset.UTC));
        });
    }

    /** Switches tracking; each change from off to on is a new generation. Empty where the epoch is not the tenant's. */
    Optional<TrackingContext> enabled(long tenantId, UUID epoch, boolean enabled, Instant now) {
        return change(ENABLED, statement -> {
            statement.setBoolean(1, enabled);
            statement.setBoolean(2, enabled);
            statement.setObject(3, now.atOffset(ZoneOffset.UTC));
            statement.setLong(4, tenantId);
            statement.setObject(5, epoch);
        });
    }

    private interface Binding {
        void bind(PreparedStatement statement) throws SQLException;
    }

    private Optional<TrackingContext> change(String sql, Binding binding) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            binding.bind(statement);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? Optional.of(context(row)) : Optional.empty();
            }
        } catch (SQLException e) {
            throw new StorageException("cannot change a tracking context", e);
        }
    }

    private static TrackingContext context(ResultSet row) throws SQLException {
        OffsetDateTime checkedAt = row.getObject(3, OffsetDateTime.class);
        return new TrackingContext(
                row.getLong(1),
                row.getString(2),
                checkedAt == null ? null : checkedAt.toInstant(),
                row.getBoolean(4),
                row.getLong(5));
    }
}
