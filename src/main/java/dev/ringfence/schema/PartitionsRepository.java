package dev.ringfence.schema;

import dev.ringfence.config.DataSources;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import javax.sql.DataSource;

/** The weekly partitions of events, finished deliveries and attempts; there is no DEFAULT partition that could fill up. */
@ApplicationScoped
public class PartitionsRepository {
    /** How many weeks ahead are kept ready: a timer that fails is noticed long before recording does. */
    public static final int WEEKS_AHEAD = 8;

    private static final Duration WEEK = Duration.ofDays(7);

    private DataSources dataSources;

    /** For the container's proxy. */
    @SuppressWarnings("NullAway.Init")
    protected PartitionsRepository() {}

    @Inject
    PartitionsRepository(DataSources dataSources) {
        this.dataSources = dataSources;
    }

    /**
     * Makes the partitions that are missing, from the week before {@code now} (another node's clock may be behind) to
     * {@code weeksAhead} weeks after it. Idempotent; any number of nodes may call it at once. Commits by itself, so it is
     * called outside a transaction.
     *
     * @return how many were made; 0 on every call but a few a week
     * @throws IllegalStateException when the database refuses, or is busy for more than five seconds
     */
    public int ensure(Instant now, int weeksAhead) {
        return ensure(dataSources.pinned(), now, weeksAhead);
    }

    /** As {@link #ensure(Instant, int)}, for programs without a container. */
    public static int ensure(DataSource sessions, Instant now, int weeksAhead) {
        try (Connection connection = sessions.getConnection();
                var statement = connection.prepareStatement("select ringfence.ensure_partitions(?, ?)")) {
            statement.setObject(1, now.minus(WEEK).atOffset(ZoneOffset.UTC));
            statement.setInt(2, weeksAhead + 2);
            try (var rows = statement.executeQuery()) {
                rows.next();
                return rows.getInt(1);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(
                    "The partitions of the coming weeks could not be made: " + e.getMessage(), e);
        }
    }
}
