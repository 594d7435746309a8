package dev.ringfence.redaction;

import dev.ringfence.config.DataSources;
import dev.ringfence.fence.SqlFunction;
import dev.ringfence.outbox.StorageException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Statements in the caller's JTA transaction. */
abstract class JtaRepository {
    private final DataSources sources;

    JtaRepository(DataSources sources) {
        this.sources = sources;
    }

    <T> List<T> list(String step, String sql, SqlFunction<ResultSet, T> row, @Nullable Object... values) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, values);
            List<T> found = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(row.apply(rows));
                }
            }
            return found;
        } catch (SQLException e) {
            throw new StorageException(step, e);
        }
    }

    <T> Optional<T> first(String step, String sql, SqlFunction<ResultSet, T> row, @Nullable Object... values) {
        return list(step, sql, row, values).stream().findFirst();
    }

    int update(String step, String sql, @Nullable Object... values) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, values);
            return statement.executeUpdate();
        } catch (SQLException e) {
            throw new StorageException(step, e);
        }
    }

    static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime at = row.getObject(column, OffsetDateTime.class);
        return at == null ? null : at.toInstant();
    }

    private static void bind(PreparedStatement statement, @Nullable Object... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
    }
}
