package dev.ringfence.redaction;

import dev.ringfence.fence.ExclusiveFence;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.UUID;

/**
 * The fencing transaction: one statement on the fence's own connection, outside JTA. If the session dies, the statement dies with it,
 * so nobody can have had the fence between its grant and this commit.
 */
@ApplicationScoped
public class FencingRepository {
    private static final String REDACT = "select redact_tenant(?, ?, ? * interval '1 millisecond')";

    /**
     * Bounds what is cancelled in it: some hundred thousand waiting deliveries; of a long history it makes the markers in several
     * statements. The fence's own bound is for small ones.
     */
    private static final Duration LONGEST = Duration.ofSeconds(60);

    private static final Duration NETWORK = Duration.ofSeconds(5);

    /**
     * Fences the tenant, or tells how long to wait before asking again.
     *
     * @param margin how far past an attempt's deadline it counts as over
     * @return empty when the tenant is fenced; else the moment, on the database's clock, until which a reservation may still be sent, or
     *     until which markers of its history were made: then there may be more
     * @throws dev.ringfence.fence.FenceLost when the session is gone or the statement was refused: it changed nothing
     */
    Optional<Instant> redact(ExclusiveFence fence, UUID redaction, UUID epoch, Duration margin) {
        return fence.onConnection(connection -> {
            prepare(connection);
            try (PreparedStatement statement = connection.prepareStatement(REDACT)) {
                statement.setObject(1, redaction);
                statement.setObject(2, epoch);
                statement.setLong(3, margin.toMillis());
                try (ResultSet rows = statement.executeQuery()) {
                    rows.next();
                    OffsetDateTime until = rows.getObject(1, OffsetDateTime.class);
                    return Optional.ofNullable(until).map(OffsetDateTime::toInstant);
                }
            }
        });
    }

    /** The fence takes its own bounds back when it is released. */
    private static void prepare(Connection connection) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, (int) LONGEST.plus(NETWORK).toMillis());
        try (PreparedStatement statement =
                connection.prepareStatement("select set_config('statement_timeout', ?, false)")) {
            statement.setString(1, Long.toString(LONGEST.toMillis()));
            statement.executeQuery().close();
        }
    }
}
