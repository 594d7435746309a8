package dev.ringfence.retention;

import dev.ringfence.config.DataSources;
import dev.ringfence.outbox.StorageException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** Drops old weeks. Each call is one transaction that commits by itself, so it is called outside one. */
@ApplicationScoped
public class RetentionRepository {
    private static final String DELIVERIES =
            "select dropped, kept from ringfence.drop_deliveries_week(clock_timestamp() - ?::interval)";
    private static final String EVENTS =
            "select dropped, kept from ringfence.drop_events_week(clock_timestamp() - ?::interval)";

    /** The looks at what is live and at what ended late read whole tables; with millions of rows that takes seconds. */
    private static final Duration LONGEST = Duration.ofMinutes(2);

    private static final String LOCK_NOT_AVAILABLE = "55P03";

    private final DataSources sources;

    @Inject
    public RetentionRepository(DataSources sources) {
        this.sources = sources;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    RetentionRepository() {
        this(null);
    }

    /**
     * Drops the oldest week of finished deliveries and their attempts that ended so long ago, by the database's own clock, and that nothing needs.
     *
     * @throws StorageException when the database refuses (RF053: that would be the present week) or does not answer in time
     */
    WeekDrop dropDeliveries(Duration kept) {
        return drop(DELIVERIES, kept);
    }

    /** As {@link #dropDeliveries}, of events. */
    WeekDrop dropEvents(Duration kept) {
        return drop(EVENTS, kept);
    }

    private WeekDrop drop(String sql, Duration kept) {
        try (Connection connection = sources.pinned().getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setQueryTimeout((int) LONGEST.toSeconds());
            statement.setString(1, kept.toString());
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                String week = row.getString("dropped");
                return week == null
                        ? new WeekDrop.Nothing(
                                List.of((String[]) row.getArray("kept").getArray()))
                        : new WeekDrop.Dropped(week);
            }
        } catch (SQLException e) {
            if (LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                return new WeekDrop.Busy();
            }
            throw new StorageException("cannot drop an old week", e);
        }
    }
}
