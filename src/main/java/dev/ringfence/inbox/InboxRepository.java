package dev.ringfence.inbox;

import dev.ringfence.config.DataSources;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The table {@code inbox_events}: one receipt per consumer and event id. Works in the caller's transaction. */
@ApplicationScoped
public class InboxRepository {

    /** In the order of the ids, so that requests with the same events wait for each other instead of deadlocking. */
    private static final String INSERT = "insert into inbox_events"
            + " (consumer, event_id, app_id, event_name, body_sha256, received_at)"
            + " select ?, event_id, app_id, event_name, body_sha256, ?"
            + " from unnest(?, ?, ?, ?) as given (event_id, app_id, event_name, body_sha256)"
            + " order by event_id on conflict (consumer, event_id) do nothing returning event_id, id";

    private static final String SELECT =
            "select event_id, id from inbox_events where consumer = ? and event_id = any (?)";

    private final DataSources sources;

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    InboxRepository() {
        this.sources = null;
    }

    @Inject
    public InboxRepository(DataSources sources) {
        this.sources = sources;
    }

    /**
     * Stores a receipt for every event that has none, by one statement. Waits for other requests that bring the same
     * event.
     *
     * @param events no two with the same id
     * @return the numbers of the new receipts, by event id
     */
    Map<String, Long> insert(String consumer, Collection<InboxEvent> events, Instant receivedAt) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(INSERT)) {
            statement.setString(1, consumer);
            statement.setObject(2, receivedAt.atOffset(ZoneOffset.UTC));
            statement.setArray(3, texts(connection, events, InboxEvent::eventId));
            statement.setArray(4, texts(connection, events, InboxEvent::appId));
            statement.setArray(5, texts(connection, events, InboxEvent::eventName));
            statement.setArray(
                    6,
                    connection.createArrayOf(
                            "bytea", events.stream().map(InboxEvent::sha256).toArray(byte[][]::new)));
            return ids(statement);
        } catch (SQLException e) {
            throw new IllegalStateException("inbox_events cannot be written", e);
        }
    }

    /** The numbers of the receipts that are there, by event id. */
    Map<String, Long> find(String consumer, List<String> eventIds) {
        if (eventIds.isEmpty()) {
            return Map.of();
        }
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(SELECT)) {
            statement.setString(1, consumer);
            statement.setArray(2, connection.createArrayOf("text", eventIds.toArray()));
            return ids(statement);
        } catch (SQLException e) {
            throw new IllegalStateException("inbox_events cannot be read", e);
        }
    }

    private static Array texts(Connection connection, Collection<InboxEvent> events, Function<InboxEvent, String> field)
            throws SQLException {
        return connection.createArrayOf("text", events.stream().map(field).toArray());
    }

    private static Map<String, Long> ids(PreparedStatement statement) throws SQLException {
        Map<String, Long> ids = new HashMap<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                ids.put(rows.getString(1), rows.getLong(2));
            }
        }
        return ids;
    }
}
