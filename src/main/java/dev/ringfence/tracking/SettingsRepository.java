package dev.ringfence.tracking;

import dev.ringfence.config.DataSources;
import dev.ringfence.lifecycle.TenantRef;
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
import org.jspecify.annotations.Nullable;

/** Settings by the tenant's hash: a save needs no lifecycle row and makes none (LC-2). In the caller's transaction. */
@ApplicationScoped
class SettingsRepository {
    private static final String READ = """
            select revision, coalesce(settings_text, '')
              from tenant_settings where app_id = ? and tenant_hash = ?""";

    /** Revisions go on from what milestones have seen, also where an erasure took the row. */
    private static final String CREATE = """
            insert into tenant_settings (app_id, tenant_hash, revision, settings, settings_text, created_at, updated_at)
            values (?, ?, 1 + coalesce((select configuration_revision from tenant_lifecycle
                                         where app_id = ? and tenant_hash = ?), 0), ?::jsonb, ?, ?, ?)
            on conflict (app_id, tenant_hash) do nothing
            returning revision""";

    private static final String REPLACE = """
            update tenant_settings s
               set revision = 1 + greatest(s.revision, (select configuration_revision from tenant_lifecycle t
                                                         where t.app_id = s.app_id and t.tenant_hash = s.tenant_hash)),
                   settings = ?::jsonb, settings_text = ?, updated_at = ?
             where app_id = ? and tenant_hash = ? and revision = ?
            returning revision""";

    /** The lock keeps a redaction from fencing the tenant between this look and the commit. */
    private static final String BOUNDARY =
            "select last_redacted_at from tenant_lifecycle where app_id = ? and tenant_hash = ? for share";

    /** The same for a tenant without a row. */
    private static final String LOCK_UNKNOWN = """
            select pg_advisory_xact_lock_shared(settings_lock(x.hash, 0), settings_lock(x.hash, 1)) from (select ?::bytea as hash) x""";

    private final DataSources dataSources;

    @Inject
    SettingsRepository(DataSources dataSources) {
        this.dataSources = dataSources;
    }

    /** For the container's proxy. */
    SettingsRepository() {
        this(new DataSources());
    }

    /** The row, with or without settings in it. */
    Optional<StoredSettings> find(TenantRef tenant) {
        return read(tenant, READ);
    }

    /** The row, locked until the transaction ends. */
    Optional<StoredSettings> findLocked(TenantRef tenant) {
        return read(tenant, READ + " for update");
    }

    private Optional<StoredSettings> read(TenantRef tenant, String sql) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            key(statement, 1, tenant);
            try (ResultSet row = statement.executeQuery()) {
                return row.next()
                        ? Optional.of(new StoredSettings(row.getLong(1), row.getString(2)))
                        : Optional.empty();
            }
        } catch (SQLException e) {
            throw new StorageException("cannot read settings", e);
        }
    }

    /** Stores the first settings; empty where a row appeared meanwhile. */
    Optional<Long> create(TenantRef tenant, String text, Instant at) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(CREATE)) {
            key(statement, 1, tenant);
            key(statement, 3, tenant);
            statement.setString(5, text);
            statement.setString(6, text);
            statement.setObject(7, at.atOffset(ZoneOffset.UTC));
            statement.setObject(8, at.atOffset(ZoneOffset.UTC));
            return revision(statement);
        } catch (SQLException e) {
            throw new StorageException("cannot store settings", e);
        }
    }

    /** Replaces the settings of that revision; empty where another one stands. */
    Optional<Long> replace(TenantRef tenant, long standing, String text, Instant at) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(REPLACE)) {
            statement.setString(1, text);
            statement.setString(2, text);
            statement.setObject(3, at.atOffset(ZoneOffset.UTC));
            key(statement, 4, tenant);
            statement.setLong(6, standing);
            return revision(statement);
        } catch (SQLException e) {
            throw new StorageException("cannot store settings", e);
        }
    }

    private static Optional<Long> revision(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            return row.next() ? Optional.of(row.getLong(1)) : Optional.empty();
        }
    }

    /** When the tenant was last redacted, locked against change until the transaction ends; empty where it never was. */
    Optional<Instant> boundary(TenantRef tenant) {
        try (Connection connection = dataSources.jta().getConnection()) {
            Known known = known(connection, tenant);
            if (!known.row()) {
                lockUnknown(connection, tenant);
                known = known(connection, tenant);
            }
            return Optional.ofNullable(known.boundary());
        } catch (SQLException e) {
            throw new StorageException("cannot read a tenant's boundary", e);
        }
    }

    /** Whether the tenant has a row, and the boundary in it. */
    private record Known(boolean row, @Nullable Instant boundary) {}

    private static Known known(Connection connection, TenantRef tenant) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(BOUNDARY)) {
            key(statement, 1, tenant);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    return new Known(false, null);
                }
                OffsetDateTime at = row.getObject(1, OffsetDateTime.class);
                return new Known(true, at == null ? null : at.toInstant());
            }
        }
    }

    private static void lockUnknown(Connection connection, TenantRef tenant) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(LOCK_UNKNOWN)) {
            statement.setBytes(1, tenant.hash());
            statement.executeQuery().close();
        }
    }

    private static void key(PreparedStatement statement, int first, TenantRef tenant) throws SQLException {
        statement.setObject(first, tenant.appId());
        statement.setBytes(first + 1, tenant.hash());
    }
}
