package dev.ringfence.inbox;

import dev.ringfence.config.DataSources;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The table {@code inbox_consumers}. Works in the caller's transaction where there is one. */
@ApplicationScoped
public class ConsumerRepository {

    private static final String SELECT = "select name, scheme, secret, created_at from inbox_consumers ";

    private final DataSources sources;

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    ConsumerRepository() {
        this.sources = null;
    }

    @Inject
    public ConsumerRepository(DataSources sources) {
        this.sources = sources;
    }

    Optional<Consumer> find(String name) {
        return query(SELECT + "where name = ?", name).stream().findFirst();
    }

    /** Consumers by name, after that one. */
    List<Consumer> list(String after, int limit) {
        return query(SELECT + "where name > ? order by name limit ?", after, limit);
    }

    /**
     * Stores a new consumer.
     *
     * @return false where the name is taken
     */
    boolean insert(Consumer consumer) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(
                        "insert into inbox_consumers (name, scheme, secret, created_at) values (?, ?, ?, ?)"
                                + " on conflict (name) do nothing")) {
            bind(
                    statement,
                    consumer.name(),
                    consumer.scheme(),
                    consumer.sealedSecret(),
                    consumer.createdAt().atOffset(ZoneOffset.UTC));
            return statement.executeUpdate() == 1;
        } catch (SQLException e) {
            throw new IllegalStateException("inbox_consumers cannot be written", e);
        }
    }

    private List<Consumer> query(String sql, Object... values) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, values);
            List<Consumer> consumers = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    consumers.add(new Consumer(
                            rows.getString(1),
                            rows.getString(2),
                            rows.getBytes(3),
                            rows.getObject(4, OffsetDateTime.class).toInstant()));
                }
            }
            return consumers;
        } catch (SQLException e) {
            throw new IllegalStateException("inbox_consumers cannot be read", e);
        }
    }

    private static void bind(PreparedStatement statement, Object... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
    }
}
