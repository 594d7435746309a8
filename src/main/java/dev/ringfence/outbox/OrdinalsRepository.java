package dev.ringfence.outbox;

import dev.ringfence.config.DataSources;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The one sequence that numbers events and deliveries (RC-7). A number that was handed out is never handed out again, whether
 * its transaction commits or not.
 */
@ApplicationScoped
public class OrdinalsRepository {
    /** Planned once; how many rows a series has is planned anew each time. */
    private static final String NEXT = "select nextval('ordinals')";

    private static final String NEXT_MANY = "select nextval('ordinals') from generate_series(1, ?)";

    private final DataSources dataSources;

    @Inject
    public OrdinalsRepository(DataSources dataSources) {
        this.dataSources = dataSources;
    }

    /** For the container's proxy. */
    OrdinalsRepository() {
        this(new DataSources());
    }

    /** The next {@code count} ordinals, ascending as the sequence gave them, in one round trip. */
    public long[] next(int count) {
        long[] ordinals = new long[count];
        try (Connection connection = dataSources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(count == 1 ? NEXT : NEXT_MANY)) {
            if (count > 1) {
                statement.setInt(1, count);
            }
            try (ResultSet rows = statement.executeQuery()) {
                for (int i = 0; rows.next(); i++) {
                    ordinals[i] = rows.getLong(1);
                }
            }
            return ordinals;
        } catch (SQLException e) {
            throw new StorageException("cannot take ordinals", e);
        }
    }
}
