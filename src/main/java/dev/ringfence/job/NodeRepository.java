package dev.ringfence.job;

import dev.ringfence.config.DataSources;
import dev.ringfence.delivery.DeliveryStorageException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Signs of life of the nodes, in the database's time: the batch repository does not know that a node was killed. */
@ApplicationScoped
public class NodeRepository {
    private static final String BEAT = """
            insert into nodes (node, started_at, heartbeat_at) values (?, clock_timestamp(), clock_timestamp())
            on conflict (node) do update set heartbeat_at = clock_timestamp()
            """;
    private static final String ALIVE =
            "select node from nodes where heartbeat_at > clock_timestamp() - ? * interval '1 millisecond' order by node";
    private static final String FORGET =
            "delete from nodes where node = ? or heartbeat_at < clock_timestamp() - interval '1 day'";

    private final DataSources dataSources;

    @Inject
    public NodeRepository(DataSources dataSources) {
        this.dataSources = dataSources;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    NodeRepository() {
        this(null);
    }

    /** Says that this node is alive. */
    void beat(String node) {
        change(BEAT, node);
    }

    /** Says that this node stops, so that the others need not wait for its silence. */
    void forget(String node) {
        change(FORGET, node);
    }

    /** The nodes heard of within that time, in an order that all of them see alike. */
    List<String> alive(Duration within) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(ALIVE)) {
            statement.setLong(1, within.toMillis());
            List<String> nodes = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    nodes.add(rows.getString(1));
                }
            }
            return nodes;
        } catch (SQLException e) {
            throw new DeliveryStorageException("look for the other nodes", e);
        }
    }

    private void change(String sql, String node) {
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, node);
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new DeliveryStorageException("keep this node's sign of life", e);
        }
    }
}
