package dev.ringfence.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
            one.execute("create table mine (id int)");
            assertThat(one.number(tables("mine"))).isEqualTo(1);
            assertThat(other.number(tables("mine"))).isZero();
            assertThat(other.number(tables("outbox_events"))).isEqualTo(1);
        }
    }

    /** The build runs some classes on the oldest version too; a class path with two of them would not tell. */
    @Test
    void theServerIsOfTheVersionThatTheBuildNames() throws Exception {
        String named = System.getProperty("ringfence.it.postgres");
        assumeTrue(named != null, "run by the build only, which names the version");
        try (TestDatabase database = TestDatabase.empty();
                Connection connection = database.connect()) {
            assertThat(show(connection, "server_version")).isEqualTo(named.replaceAll("\\.0$", ""));
        }
    }

    private static String tables(String name) {
        return "select count(*) from pg_class where oid = to_regclass('ringfence." + name + "')";
    }

    private static String show(Connection connection, String setting) throws Exception {
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery("show " + setting)) {
            rows.next();
            return rows.getString(1);
        }
    }
}
