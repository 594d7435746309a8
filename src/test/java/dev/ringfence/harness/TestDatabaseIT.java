package dev.ringfence.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import org.junit.jupiter.api.Test;

/** What every crash test rests on: a commit that is answered is on disk. */
class TestDatabaseIT {
    @Test
    void commitsAreDurableAndTheOwnerIsNoSuperuser() throws Exception {
        try (TestDatabase database = TestDatabase.empty();
                Connection connection = database.connect()) {
            assertThat(show(connection, "fsync")).isEqualTo("on");
            assertThat(show(connection, "synchronous_commit")).isEqualTo("on");
            assertThat(show(connection, "full_page_writes")).isEqualTo("on");
            assertThat(show(connection, "is_superuser")).isEqualTo("off");
        }
    }

    @Test
    void eachDatabaseStartsFromTheMigratedTemplateAndSharesNothing() {
        try (TestDatabase one = TestDatabase.migrated();
                TestDatabase other = TestDatabase.migrated()) {
            one.execute("insert into apps (id, name, created_at) values (gen_random_uuid(), 'mine', now())");
            assertThat(one.number("select count(*) from apps")).isEqualTo(1);
            assertThat(other.number("select count(*) from apps")).isZero();
        }
    }

    private static String show(Connection connection, String setting) throws Exception {
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery("show " + setting)) {
            rows.next();
            return rows.getString(1);
        }
    }
}
