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
            + " (subscription_id, entry, generation, secret, created_at) values (?, ?, 1, ?, ?)";

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

    void insert(SealedSecret secret, Instant now) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(INSERT)) {
            statement.setObject(1, secret.subscriptionId());
            statement.setInt(2, secret.entry());
            statement.setBytes(3, secret.sealed());
            statement.setObject(4, now.atOffset(ZoneOffset.UTC));
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new StorageException("cannot store a secret", e);
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
