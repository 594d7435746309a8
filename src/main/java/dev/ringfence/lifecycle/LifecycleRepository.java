package dev.ringfence.lifecycle;

import dev.ringfence.config.DataSources;
import dev.ringfence.fence.ExclusiveFence;
import dev.ringfence.fence.FenceKey;
import dev.ringfence.fence.RecordingFence;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads lifecycle rows, in the caller's transaction or on a fence's own connection (FN-4). */
@ApplicationScoped
public class LifecycleRepository {

    static final String COLUMNS = """
            t.tenant_id, t.app_id, t.tenant, t.fence_key, t.epoch, t.phase, t.last_redacted_at, t.enrolled_at,
            t.enable_generation, t.configuration_revision, t.published_theme_id, t.theme_checked_at, t.enabled,
            a.enabled as app_enabled, a.min_skew_bound_ms
            """;
    private static final String SELECT =
            "select " + COLUMNS + " from tenant_lifecycle t join apps a on a.id = t.app_id where ";

    private static final String BY_REF = "t.app_id = ? and t.tenant_hash = ?";

    private static final String TRY_SHARED = "select pg_try_advisory_xact_lock_shared(?)";

    @Inject
    DataSources dataSources;

    /**
     * Takes the tenant's shared fence in the current JTA transaction (FN-1), waiting at most {@code wait}. Read the row with
     * {@link #find} afterwards, not before.
     *
     * @return false when it was not granted in time: the transaction can only be rolled back
     */
    public boolean lockShared(TenantRef tenant, Duration wait) {
        return lockShared(tenant.fenceKey(), wait);
    }

    /** As {@link #lockShared(TenantRef, Duration)}, by the key of a row that was read before. */
    public boolean lockShared(FenceKey fence, Duration wait) {
        try (Connection connection = dataSources.jta().getConnection()) {
            return RecordingFence.lockShared(connection, fence, wait);
        } catch (SQLException failed) {
            throw new LifecycleUnreachable(failed);
        }
    }

    /**
     * As {@link #lockShared(TenantRef, Duration)} and then {@link #find(TenantRef)}, in one round trip.
     *
     * @return empty when the fence was not granted in time: the transaction can only be rolled back
     */
    public Optional<UnderFence> findUnderShared(TenantRef tenant, Duration wait) {
        try (Connection connection = dataSources.jta().getConnection()) {
            return RecordingFence.lockSharedAndRead(
                    connection,
                    tenant.fenceKey(),
                    wait,
                    SELECT + BY_REF,
                    (statement, first) -> {
                        statement.setObject(first, tenant.appId());
                        statement.setBytes(first + 1, tenant.hash());
                    },
                    rows -> new UnderFence(rows.next() ? row(rows) : null));
        } catch (SQLException failed) {
            throw new LifecycleUnreachable(failed);
        }
    }

    /**
     * What was read when the fence was held.
     *
     * @param row null where the tenant has none
     */
    public record UnderFence(@Nullable TenantLifecycle row) {}

    /** The tenant's row, in the current JTA transaction if there is one. */
    public Optional<TenantLifecycle> find(TenantRef tenant) {
        try (Connection connection = dataSources.jta().getConnection()) {
            return findUnder(connection, tenant);
        } catch (SQLException failed) {
            throw new LifecycleUnreachable(failed);
        }
    }

    /** Tries the shared fence for the current JTA transaction; never waits. */
    public boolean tryShared(FenceKey fence) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(TRY_SHARED)) {
            statement.setLong(1, fence.value());
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() && rows.getBoolean(1);
            }
        } catch (SQLException failed) {
            throw new LifecycleUnreachable(failed);
        }
    }

    /** The row of that narrow key, in the current JTA transaction if there is one. */
    public Optional<TenantLifecycle> find(long tenantId) {
        try (Connection connection = dataSources.jta().getConnection()) {
            return Optional.ofNullable(readOn(connection, List.of(tenantId)).get(tenantId));
        } catch (SQLException failed) {
            throw new LifecycleUnreachable(failed);
        }
    }

    /**
     * The tenant's row, its tracking context locked against change until the current JTA transaction ends. Many may hold it so; wait for
     * whoever changes it is bounded by the connection's lock timeout.
     */
    public Optional<TenantLifecycle> findContext(TenantRef tenant) {
        try (Connection connection = dataSources.jta().getConnection()) {
            return find(connection, tenant, " for share of t");
        } catch (SQLException failed) {
            throw new LifecycleUnreachable(failed);
        }
    }

    /** The tenant's row on an exclusive fence's connection, which proves that the fence is held. */
    public Optional<TenantLifecycle> findUnder(ExclusiveFence fence, TenantRef tenant) {
        return fence.onConnection(connection -> findUnder(connection, tenant));
    }

    /** The tenant's row, on that connection. */
    public Optional<TenantLifecycle> findUnder(Connection connection, TenantRef tenant) throws SQLException {
        return find(connection, tenant, "");
    }

    private static Optional<TenantLifecycle> find(Connection connection, TenantRef tenant, String lock)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(SELECT + BY_REF + lock)) {
            statement.setObject(1, tenant.appId());
            statement.setBytes(2, tenant.hash());
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? Optional.of(row(rows)) : Optional.empty();
            }
        }
    }

    /** The rows of many tenants by {@code tenant_id}, in one statement on that connection; unknown ones are left out. */
    public Map<Long, TenantLifecycle> readOn(Connection connection, Collection<Long> tenantIds) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(SELECT + "t.tenant_id = any (?)")) {
            statement.setArray(1, connection.createArrayOf("bigint", tenantIds.toArray()));
            Map<Long, TenantLifecycle> found = new HashMap<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    TenantLifecycle row = row(rows);
                    found.put(row.tenantId(), row);
                }
            }
            return found;
        }
    }

    static TenantLifecycle row(ResultSet row) throws SQLException {
        return new TenantLifecycle(
                row.getLong("tenant_id"),
                row.getObject("app_id", UUID.class),
                row.getString("tenant"),
                new FenceKey(row.getLong("fence_key")),
                row.getObject("epoch", UUID.class),
                Phase.valueOf(row.getString("phase")),
                instant(row, "last_redacted_at"),
                instant(row, "enrolled_at"),
                row.getLong("enable_generation"),
                row.getLong("configuration_revision"),
                row.getString("published_theme_id"),
                instant(row, "theme_checked_at"),
                row.getBoolean("enabled"),
                row.getBoolean("app_enabled"),
                Duration.ofMillis(row.getInt("min_skew_bound_ms")));
    }

    private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime read = row.getObject(column, OffsetDateTime.class);
        return read == null ? null : read.toInstant();
    }
}
