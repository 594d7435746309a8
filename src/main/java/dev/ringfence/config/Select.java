package dev.ringfence.config;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A select statement that grows by conditions. Its texts are constants of whoever builds it; everything else is bound as a value. */
public final class Select {

    /** Makes one entry of the row in hand. */
    @FunctionalInterface
    public interface RowReader<T> {
        T read(ResultSet row) throws SQLException;
    }

    private final StringBuilder sql;
    private final List<Object> values = new ArrayList<>();

    /** Begins a statement, up to and with its first condition. */
    public Select(String start, Object... values) {
        this.sql = new StringBuilder(start);
        bind(values);
    }

    /** One more condition; none where one of its values is not given. */
    public Select and(String condition, @Nullable Object... given) {
        if (Arrays.stream(given).allMatch(Objects::nonNull)) {
            sql.append(" and ").append(condition);
            bind(given);
        }
        return this;
    }

    /** The statement's end: order and limit. */
    public Select ending(String text, Object... given) {
        sql.append(' ').append(text);
        bind(given);
        return this;
    }

    /** Runs it: an entry for each row. */
    public <T> List<T> list(DataSource source, RowReader<T> reader) throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql.toString())) {
            for (int i = 0; i < values.size(); i++) {
                statement.setObject(i + 1, values.get(i));
            }
            List<T> found = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(reader.read(rows));
                }
            }
            return found;
        }
    }

    /** A column of type {@code timestamptz} that has a value. */
    public static Instant instant(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    /** A column of type {@code timestamptz}. */
    public static @Nullable Instant instantOrNull(ResultSet row, String column) throws SQLException {
        OffsetDateTime value = row.getObject(column, OffsetDateTime.class);
        return value == null ? null : value.toInstant();
    }

    private void bind(@Nullable Object... given) {
        for (Object value : given) {
            values.add(value instanceof Instant at ? at.atOffset(ZoneOffset.UTC) : Objects.requireNonNull(value));
        }
    }
}
