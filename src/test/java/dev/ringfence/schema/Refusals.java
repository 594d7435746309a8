package dev.ringfence.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.harness.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Runs one statement in a transaction of its own and tells which SQLSTATE refused it. */
final class Refusals {
    /** Not refused. */
    static final String NONE = "00000";

    private final TestDatabase database;

    Refusals(TestDatabase database) {
        this.database = database;
    }

    /** The SQLSTATE that refused {@code sql}, or {@link #NONE} where it was done and committed. */
    String of(String sql) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
            return NONE;
        } catch (SQLException e) {
            return String.valueOf(e.getSQLState());
        }
    }

    void refuse(String sqlState, String sql) {
        assertThat(of(sql)).as(sql).isEqualTo(sqlState);
    }

    /** Asserts that {@code sql} is done; it must touch a row where it is an UPDATE or DELETE. */
    void permit(String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
            assertThat(statement.getUpdateCount()).as(sql).isNotZero();
        }
    }

    /** Asserts that {@code sql} is done in a transaction that says it erases. */
    void permitErasing(String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("select set_config('ringfence.erasure', 'on', true)");
            statement.execute(sql);
            assertThat(statement.getUpdateCount()).as(sql).isNotZero();
            connection.commit();
            connection.setAutoCommit(true);
        }
    }
}
