package dev.ringfence.subscription;

import dev.ringfence.config.DataSources;
import dev.ringfence.outbox.StorageException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/** The table {@code subscription_secrets}: sealed secrets only (SC-2), in the caller's transaction. */
@ApplicationScoped
public class SubscriptionSecretsRepository {

    private static final String INSERT = "insert into subscription_secrets"
            + " (subscription_id, entry, generation, secret, created_at) select ?, ?, 1 + coalesce(max(s.generation), 0), ?, ?"
            + " from subscription_secrets s where s.subscription_id = ? and s.entry = ?";

    private static final String END = "update subscription_secrets"
            + " set expires_at = least(expires_at, ?::timestamptz) where subscription_id = ? and entry = ?";

    private static final String DELETE_ENDED =
            "delete from subscription_secrets where subscription_id = ? and expires_at <= ?";

    private static final String DELETE = "delete from subscription_secrets where subscription_id = ? and entry = ?";

    private static final String VALID = """
            select subscription_id, entry, secret from subscription_secrets
            where subscription_id = any(?) and (expires_at is null or expires_at > ?)
            order by subscription_id, entry, generation desc
            """;

    private final DataSources sources;

    @Inject
    public SubscriptionSecretsRepository(DataSources sources) {
        this.sources = sources;
    }

    /** For the container's proxy. */
    protected SubscriptionSecretsRepository() {
        this(new DataSources());
    }

    /** A sealed secret of one signing entry, or the receiver's token. */
    @SuppressWarnings("ArrayRecordComponent") // bytes that nobody compares
    record SealedSecret(UUID subscriptionId, int entry, byte[] sealed) {}

    /** Adds the secret as the newest generation of its entry. */
    void insert(SealedSecret secret, Instant now) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(INSERT)) {
            statement.setObject(1, secret.subscriptionId());
            statement.setInt(2, secret.entry());
            statement.setBytes(3, secret.sealed());
            statement.setObject(4, now.atOffset(ZoneOffset.UTC));
            statement.setObject(5, secret.subscriptionId());
            statement.setInt(6, secret.entry());
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new StorageException("cannot store a secret", e);
        }
    }

    /** Ends the secrets of an entry at that instant; one that ends earlier keeps its end. */
    void endBy(UUID subscriptionId, int entry, Instant end) {
        update(END, end.atOffset(ZoneOffset.UTC), subscriptionId, entry);
    }

    /** Deletes the secrets of the subscription that have ended. */
    void deleteEnded(UUID subscriptionId, Instant now) {
        update(DELETE_ENDED, subscriptionId, now.atOffset(ZoneOffset.UTC));
    }

    /** Deletes all secrets of an entry. */
    void delete(UUID subscriptionId, int entry) {
        update(DELETE, subscriptionId, entry);
    }

    private void update(String sql, Object... values) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new StorageException("cannot change secrets", e);
        }
    }

    /** The secrets that are valid at that instant, ordered by subscription and entry, the newest generation first. */
    List<SealedSecret> validAt(Collection<UUID> subscriptionIds, Instant now) {
        List<SealedSecret> found = new ArrayList<>();
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(VALID)) {
            statement.setArray(1, connection.createArrayOf("uuid", subscriptionIds.toArray()));
            statement.setObject(2, now.atOffset(ZoneOffset.UTC));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(new SealedSecret(rows.getObject(1, UUID.class), rows.getInt(2), rows.getBytes(3)));
                }
            }
            return found;
        } catch (SQLException e) {
            throw new StorageException("cannot read secrets", e);
        }
    }
}
