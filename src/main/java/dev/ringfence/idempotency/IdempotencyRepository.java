package dev.ringfence.idempotency;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.config.DataSources;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The table {@code idempotency_keys}. Works in the caller's transaction. */
@ApplicationScoped
public class IdempotencyRepository {

    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final String WHERE = " where caller = ? and path = ? and key = ?";

    private final DataSources sources;

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    IdempotencyRepository() {
        this.sources = null;
    }

    @Inject
    public IdempotencyRepository(DataSources sources) {
        this.sources = sources;
    }

    /**
     * Takes the key for this transaction. While another transaction has it, this waits for that one's end, at most for
     * the connection's {@code lock_timeout}. An expired row is taken over.
     *
     * @return false where a committed answer is there already
     * @throws ApiProblem 409 {@code IDEMPOTENCY_KEY_IN_USE} where the other one takes too long
     */
    boolean claim(IdempotentRequest request, @Nullable TenantScope scope, Instant now, Duration kept) {
        String sql = "insert into idempotency_keys as k"
                + " (caller, path, key, body_sha256, tenant_id, epoch, status, created_at, expires_at)"
                + " values (?, ?, ?, ?, ?, ?, 0, ?, ?)"
                + " on conflict (caller, path, key) do update set body_sha256 = excluded.body_sha256,"
                + " tenant_id = excluded.tenant_id, epoch = excluded.epoch, status = 0, response = null,"
                + " created_at = excluded.created_at, expires_at = excluded.expires_at"
                + " where k.expires_at <= excluded.created_at";
        try {
            return update(
                            sql,
                            request.caller(),
                            request.path(),
                            request.key(),
                            request.bodySha256(),
                            scope == null ? null : scope.tenantId(),
                            scope == null ? null : scope.epoch(),
                            now.atOffset(ZoneOffset.UTC),
                            now.plus(kept).atOffset(ZoneOffset.UTC))
                    == 1;
        } catch (SQLException e) {
            if (LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                throw ApiProblem.conflict(
                                "IDEMPOTENCY_KEY_IN_USE",
                                "A request with this Idempotency-Key is still being worked on.")
                        .with("Retry-After", "1");
            }
            throw new IllegalStateException("the idempotency key cannot be stored", e);
        }
    }

    /** Completes the row of {@link #claim} with the answer. */
    void complete(IdempotentRequest request, Outcome outcome) {
        try {
            int rows = update(
                    "update idempotency_keys set status = ?, response = ?" + WHERE,
                    outcome.status(),
                    outcome.stored(),
                    request.caller(),
                    request.path(),
                    request.key());
            if (rows != 1) {
                throw new IllegalStateException("the idempotency key is gone");
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the answer cannot be stored", e);
        }
    }

    /** The committed answer; empty where the row has been erased meanwhile. */
    Optional<StoredAnswer> find(IdempotentRequest request) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(
                        "select body_sha256, epoch, status, response from idempotency_keys" + WHERE)) {
            bind(statement, request.caller(), request.path(), request.key());
            try (ResultSet row = statement.executeQuery()) {
                return row.next()
                        ? Optional.of(new StoredAnswer(
                                row.getBytes(1), row.getObject(2, UUID.class), row.getInt(3), row.getBytes(4)))
                        : Optional.empty();
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the idempotency key cannot be read", e);
        }
    }

    private int update(String sql, @Nullable Object... values) throws SQLException {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, values);
            return statement.executeUpdate();
        }
    }

    private static void bind(PreparedStatement statement, @Nullable Object... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
    }
}
