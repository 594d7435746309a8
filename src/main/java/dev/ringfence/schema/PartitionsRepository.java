package dev.ringfence.schema;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import javax.sql.DataSource;

/** The weekly partitions of events, finished deliveries and attempts; there is no DEFAULT partition that could fill up. */
public final class PartitionsRepository {
    /** How many weeks ahead are kept ready: a node may be down for two months and still record after its start. */
    public static final int WEEKS_AHEAD = 8;

    private static final Duration WEEK = Duration.ofDays(7);

    private final DataSource sessions;

    /** @param sessions gives sessions outside any transaction of a server, in autocommit mode */
    public PartitionsRepository(DataSource sessions) {
        this.sessions = sessions;
    }

    /**
     * Makes the partitions that are missing, from the week before {@code now} (a clock may differ, a delivery may be a week
     * old) to {@code weeksAhead} weeks after it. Idempotent; any number of nodes may call it at once.
     *
     * @return how many were made; 0 on every call but a few a week
     * @throws IllegalStateException when the database refuses, or is busy for more than five seconds
     */
    public int ensure(Instant now, int weeksAhead) {
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
