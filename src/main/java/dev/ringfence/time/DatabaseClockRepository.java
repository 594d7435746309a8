package dev.ringfence.time;

import dev.ringfence.config.DataSources;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.function.Supplier;
import javax.sql.DataSource;

/** Asks the database what time it is. */
@ApplicationScoped
public class DatabaseClockRepository {

    private static final int TIMEOUT_SECONDS = 2;
    private static final int TRIES = 3;
    private static final Duration GOOD_ENOUGH = Duration.ofMillis(5);

    private Supplier<DataSource> source;
    private Clock clock;
    private NanoClock nanoClock;

    /** For the container's proxy. */
    @SuppressWarnings("NullAway.Init")
    protected DatabaseClockRepository() {}

    @Inject
    public DatabaseClockRepository(DataSources dataSources, Clock clock, NanoClock nanoClock) {
        this(dataSources::pinned, clock, nanoClock);
    }

    DatabaseClockRepository(Supplier<DataSource> source, Clock clock, NanoClock nanoClock) {
        this.source = source;
        this.clock = clock;
        this.nanoClock = nanoClock;
    }

    /** Reads it up to three times and keeps the shortest round trip: a pause of ours says nothing about the clocks. */
    ClockSample read() throws SQLException {
        try (Connection connection = source.get().getConnection();
                var statement = connection.prepareStatement("select clock_timestamp()")) {
            statement.setQueryTimeout(TIMEOUT_SECONDS);
            ClockSample best = bracketed(statement);
            for (int i = 1; i < TRIES && best.roundTrip().compareTo(GOOD_ENOUGH) > 0; i++) {
                ClockSample next = bracketed(statement);
                best = next.roundTrip().compareTo(best.roundTrip()) < 0 ? next : best;
            }
            return best;
        }
    }

    private ClockSample bracketed(PreparedStatement statement) throws SQLException {
        Instant before = clock.instant();
        long sent = nanoClock.nanos();
        try (var result = statement.executeQuery()) {
            long received = nanoClock.nanos();
            result.next();
            Instant database = result.getObject(1, OffsetDateTime.class).toInstant();
            return new ClockSample(before, sent, received, database);
        }
    }
}
