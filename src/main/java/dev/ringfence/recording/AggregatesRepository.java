package dev.ringfence.recording;

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

/** Aggregates, in the caller's transaction. A new version is written by compare-and-swap on the old one. */
@ApplicationScoped
class AggregatesRepository {
    private static final String READ = """
            select version, state_text, created_at, updated_at
              from aggregates
             where tenant_id = ? and type = ? and id = ?""";

    private static final String CREATE = """
            insert into aggregates (tenant_id, type, id, version, state, state_text, created_at, updated_at)
            values (?, ?, ?, 1, ?::jsonb, ?, ?, ?)
            on conflict (tenant_id, type, id) do nothing""";

    private static final String REPLACE = """
            update aggregates
               set version = version + 1, state = ?::jsonb, state_text = ?, updated_at = ?
             where tenant_id = ? and type = ? and id = ? and version = ?""";

    private final DataSources dataSources;

    @Inject
    AggregatesRepository(DataSources dataSources) {
        this.dataSources = dataSources;
    }

    /** For the container's proxy. */
    AggregatesRepository() {
        this(new DataSources());
    }

    /** The aggregate as it stands. */
    Optional<Aggregate> find(AggregateKey key) {
        return read(key, READ);
    }

    /** The aggregate, its row locked until the transaction ends. */
    Optional<Aggregate> findLocked(AggregateKey key) {
        return read(key, READ + " for update");
    }

    private Optional<Aggregate> read(AggregateKey key, String sql) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            key(statement, 1, key);
            try (ResultSet row = statement.executeQuery()) {
                return row.next()
                        ? Optional.of(new Aggregate(
                                key.type(),
                                key.id(),
                                row.getLong(1),
                                row.getString(2),
                                instant(row, 3),
                                instant(row, 4)))
                        : Optional.empty();
            }
        } catch (SQLException e) {
            throw new StorageException("cannot read an aggregate", e);
        }
    }

    /**
     * Writes the next version.
     *
     * @param expected the version that must stand, 0 for none
     * @return false where another one stands: nothing was written
     */
    boolean write(AggregateKey key, long expected, String state, Instant at) {
        try (Connection connection = dataSources.jta().getConnection()) {
            return expected == 0 ? create(connection, key, state, at) : replace(connection, key, expected, state, at);
        } catch (SQLException e) {
            throw new StorageException("cannot write an aggregate", e);
        }
    }

    private static boolean create(Connection connection, AggregateKey key, String state, Instant at)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(CREATE)) {
            int next = key(statement, 1, key);
            statement.setString(next++, state);
            statement.setString(next++, state);
            statement.setObject(next++, at.atOffset(ZoneOffset.UTC));
            statement.setObject(next, at.atOffset(ZoneOffset.UTC));
            return statement.executeUpdate() == 1;
        }
    }

    private static boolean replace(Connection connection, AggregateKey key, long expected, String state, Instant at)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(REPLACE)) {
            statement.setString(1, state);
            statement.setString(2, state);
            statement.setObject(3, at.atOffset(ZoneOffset.UTC));
            int next = key(statement, 4, key);
            statement.setLong(next, expected);
            return statement.executeUpdate() == 1;
        }
    }

    private static int key(PreparedStatement statement, int first, AggregateKey key) throws SQLException {
        statement.setLong(first, key.tenantId());
        statement.setString(first + 1, key.type());
        statement.setString(first + 2, key.id());
        return first + 3;
    }

    private static Instant instant(ResultSet row, int column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }
}
