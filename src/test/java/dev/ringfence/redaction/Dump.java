package dev.ringfence.redaction;

import dev.ringfence.harness.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Every row of every table of the product's schemas as text, to be searched. */
final class Dump {
    private Dump() {}

    /** The tables that hold the word in any column, in clear or as the bytes of a {@code bytea}; partitions count as themselves. */
    static Set<String> tablesWith(TestDatabase database, String word) throws SQLException {
        String hex = HexFormat.of().formatHex(word.getBytes(StandardCharsets.UTF_8));
        Set<String> found = new TreeSet<>();
        try (Connection connection = database.superuser()) {
            for (String table : tables(connection)) {
                try (var statement = connection.prepareStatement("select exists (select from " + table
                        + " t where position(? in t::text) > 0 or position(? in t::text) > 0)")) {
                    statement.setString(1, word);
                    statement.setString(2, hex);
                    try (var rows = statement.executeQuery()) {
                        rows.next();
                        if (rows.getBoolean(1)) {
                            found.add(table);
                        }
                    }
                }
            }
        }
        return found;
    }

    private static List<String> tables(Connection connection) throws SQLException {
        List<String> tables = new ArrayList<>();
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(
                        "select format('%I.%I', schemaname, tablename) from pg_tables where schemaname in ('ringfence', 'ringfence_batch')")) {
            while (rows.next()) {
                tables.add(rows.getString(1));
            }
        }
        return tables;
    }
}
