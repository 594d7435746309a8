package dev.ringfence.schema;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;

/** The catalog of schema {@code ringfence} as text, one object a line, read through SQL. */
final class Catalog {
    private Catalog() {}

    /** Everything but Liquibase's own tables; ordered, and independent of who owns the schema. */
    static String read(Connection connection) throws SQLException {
        StringBuilder text = new StringBuilder();
        try (var statement = connection.createStatement()) {
            statement.execute("set search_path = pg_catalog");
            try (var rows = statement.executeQuery(query())) {
                while (rows.next()) {
                    text.append(rows.getString(1)).append('\n');
                }
            }
            statement.execute("reset search_path");
        }
        return text.toString();
    }

    private static String query() {
        try (var in = Catalog.class.getResourceAsStream("/schema/catalog.sql")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
