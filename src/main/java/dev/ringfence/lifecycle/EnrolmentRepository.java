package dev.ringfence.lifecycle;

import dev.ringfence.config.DataSources;
import dev.ringfence.fence.ExclusiveFence;
import dev.ringfence.security.Caller;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The statements of enrolment: what is re-read under the exclusive fence, and the one that makes a tenant active (LC-2). */
@ApplicationScoped
public class EnrolmentRepository {

    private static final String TERMS = "select enabled, min_skew_bound_ms from apps where id = ?";
    private static final String AUTHORISED = """
            select exists (select 1 from api_keys
                            where id = ? and revoked_at is null and roles && ?::text[] and (app_id is null or app_id = ?))
            """;
    private static final String IN_PROGRESS =
            "select exists (select from redactions where app_id = ? and tenant_hash = ? and status <> 'DONE')";
    /**
     * Compare-and-swap: a row that is active, or was redacted again since it was read, stays as it is. By the epoch, which each
     * redaction makes anew: its boundary stays what it was where the database's clock stepped back.
     */
    private static final String MINT = """
            with t as (
              insert into tenant_lifecycle as old (app_id, tenant_hash, tenant, fence_key, epoch, phase, enrolled_at, created_at, updated_at)
              values (?, ?, ?, ?, ?, 'ACTIVE', ?, ?, ?)
              on conflict (app_id, tenant_hash) do update
                 set tenant = excluded.tenant, epoch = excluded.epoch, phase = 'ACTIVE', enrolled_at = excluded.enrolled_at,
                     updated_at = excluded.updated_at
               where old.phase = 'REDACTED' and old.epoch is not distinct from ?
              returning *)
            select %s from t join apps a on a.id = t.app_id
            """.formatted(LifecycleRepository.COLUMNS);

    @Inject
    DataSources dataSources;

    /** The application's terms, read on the fence's connection; empty where there is no such application. */
    Optional<AppTerms> terms(ExclusiveFence fence, UUID app) {
        return fence.onConnection(connection -> {
            try (var statement = connection.prepareStatement(TERMS)) {
                statement.setObject(1, app);
                try (ResultSet rows = statement.executeQuery()) {
                    return rows.next()
                            ? Optional.of(new AppTerms(rows.getBoolean(1), Duration.ofMillis(rows.getInt(2))))
                            : Optional.empty();
                }
            }
        });
    }

    /** Whether the caller's key is, read under the fence, not revoked and still has one of the roles (LC-4). */
    boolean authorised(ExclusiveFence fence, Caller caller, UUID app, Set<String> roles) {
        return fence.onConnection(connection -> {
            try (var statement = connection.prepareStatement(AUTHORISED)) {
                statement.setObject(1, caller.keyId());
                statement.setArray(2, connection.createArrayOf("text", roles.toArray()));
                statement.setObject(3, app);
                try (ResultSet rows = statement.executeQuery()) {
                    return rows.next() && rows.getBoolean(1);
                }
            }
        });
    }

    /** Whether a redaction of the tenant is not done yet, read on the fence's connection (RD-1). */
    boolean redactionInProgress(ExclusiveFence fence, TenantRef tenant) {
        return fence.onConnection(connection -> redactionInProgress(connection, tenant));
    }

    /** The same in the current JTA transaction, which holds the shared fence. */
    boolean redactionInProgress(TenantRef tenant) {
        try (Connection connection = dataSources.jta().getConnection()) {
            return redactionInProgress(connection, tenant);
        } catch (SQLException failed) {
            throw new LifecycleUnreachable(failed);
        }
    }

    private static boolean redactionInProgress(Connection connection, TenantRef tenant) throws SQLException {
        try (var statement = connection.prepareStatement(IN_PROGRESS)) {
            statement.setObject(1, tenant.appId());
            statement.setBytes(2, tenant.hash());
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() && rows.getBoolean(1);
            }
        }
    }

    /**
     * Makes the tenant active under a new epoch, in the current JTA transaction. The boundary stays.
     *
     * @param seen the epoch that was read under the fence; null where there was no row
     * @return empty when the row is no longer what was read: the race is lost
     */
    Optional<TenantLifecycle> mint(TenantRef tenant, UUID epoch, Instant now, @Nullable UUID seen) {
        OffsetDateTime at = now.atOffset(ZoneOffset.UTC);
        try (Connection connection = dataSources.jta().getConnection();
                var statement = connection.prepareStatement(MINT)) {
            statement.setObject(1, tenant.appId());
            statement.setBytes(2, tenant.hash());
            statement.setString(3, tenant.tenant());
            statement.setLong(4, tenant.fenceKey().value());
            statement.setObject(5, epoch);
            statement.setObject(6, at);
            statement.setObject(7, at);
            statement.setObject(8, at);
            statement.setObject(9, seen, Types.OTHER);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? Optional.of(LifecycleRepository.row(rows)) : Optional.empty();
            }
        } catch (SQLException failed) {
            throw new LifecycleUnreachable(failed);
        }
    }
}
