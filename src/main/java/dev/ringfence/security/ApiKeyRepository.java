package dev.ringfence.security;

import dev.ringfence.config.DataSources;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The table {@code api_keys}. Works in the caller's transaction where there is one. */
@ApplicationScoped
public class ApiKeyRepository {

    private static final String COLUMNS = "select id, app_id, name, roles, created_at, revoked_at from api_keys ";

    /**
     * Ends with the transaction and needs no right on the table. "RING", 3: the key space of two integers, where 1 makes partitions and 2
     * migrates.
     */
    private static final String LOCK_FIRST = """
            with bound as materialized (select set_config('lock_timeout', '3000', true) as millis)
            select pg_advisory_xact_lock(1380535879, 3) from bound where millis is not null
            """;

    private final DataSources sources;

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    ApiKeyRepository() {
        this.sources = null;
    }

    @Inject
    public ApiKeyRepository(DataSources sources) {
        this.sources = sources;
    }

    /** The key with that secret, revoked or not. */
    public Optional<ApiKey> findBySecret(ApiKeySecret secret) {
        return query(COLUMNS + "where secret_hash = ?", secret.hash()).stream().findFirst();
    }

    /** A key of that application. */
    public Optional<ApiKey> find(UUID app, UUID id) {
        return query(COLUMNS + "where app_id = ? and id = ?", app, id).stream().findFirst();
    }

    /**
     * Keys of an application by age, then id.
     *
     * @param after the last one seen, {@code null} for the first page
     */
    public List<ApiKey> list(UUID app, @Nullable Instant afterCreated, @Nullable UUID after, int limit) {
        return afterCreated == null || after == null
                ? query(COLUMNS + "where app_id = ? order by created_at, id limit ?", app, limit)
                : query(
                        COLUMNS + "where app_id = ? and (created_at, id) > (?, ?) order by created_at, id limit ?",
                        app,
                        afterCreated.atOffset(ZoneOffset.UTC),
                        after,
                        limit);
    }

    /** Stores a new key. */
    public void insert(ApiKey key, ApiKeySecret secret) {
        update(
                "insert into api_keys (id, app_id, name, roles, secret_hash, created_at) values (?, ?, ?, ?, ?, ?)",
                row(key, secret));
    }

    /**
     * Stores the key if there is none at all, revoked ones included. Needs a transaction: it keeps other calls of
     * this out until that ends, at most 3 s, so of several nodes only one can be first.
     *
     * @return whether it was stored
     */
    public boolean insertFirst(ApiKey key, ApiKeySecret secret) {
        lockFirst();
        return update(
                        "insert into api_keys (id, app_id, name, roles, secret_hash, created_at)"
                                + " select ?, ?, ?, ?, ?, ? where not exists (select from api_keys)",
                        row(key, secret))
                == 1;
    }

    /** Revokes a key for good; a second time changes nothing. */
    public void revoke(UUID app, UUID id, Instant at) {
        update(
                "update api_keys set revoked_at = ? where app_id = ? and id = ? and revoked_at is null",
                at.atOffset(ZoneOffset.UTC),
                app,
                id);
    }

    private static @Nullable Object[] row(ApiKey key, ApiKeySecret secret) {
        return new @Nullable Object[] {
            key.id(),
            key.appId(),
            key.name(),
            key.roles().toArray(String[]::new),
            secret.hash(),
            key.createdAt().atOffset(ZoneOffset.UTC)
        };
    }

    private void lockFirst() {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(LOCK_FIRST)) {
            statement.executeQuery().close();
        } catch (SQLException e) {
            throw new IllegalStateException("the turn to store the first key was not granted", e);
        }
    }

    private int update(String sql, @Nullable Object... values) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(connection, statement, values);
            return statement.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException("api_keys cannot be written", e);
        }
    }

    private List<ApiKey> query(String sql, Object... values) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(connection, statement, values);
            List<ApiKey> keys = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    keys.add(key(rows));
                }
            }
            return keys;
        } catch (SQLException e) {
            throw new IllegalStateException("api_keys cannot be read", e);
        }
    }

    private static void bind(Connection connection, PreparedStatement statement, @Nullable Object... values)
            throws SQLException {
        for (int i = 0; i < values.length; i++) {
            Object value = values[i];
            statement.setObject(
                    i + 1, value instanceof String[] texts ? connection.createArrayOf("text", texts) : value);
        }
    }

    private static ApiKey key(ResultSet row) throws SQLException {
        OffsetDateTime revokedAt = row.getObject("revoked_at", OffsetDateTime.class);
        return new ApiKey(
                row.getObject("id", UUID.class),
                row.getObject("app_id", UUID.class),
                row.getString("name"),
                List.of((String[]) row.getArray("roles").getArray()),
                row.getObject("created_at", OffsetDateTime.class).toInstant(),
                revokedAt == null ? null : revokedAt.toInstant());
    }
}
