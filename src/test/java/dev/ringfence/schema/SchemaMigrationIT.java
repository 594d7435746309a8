package dev.ringfence.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringfence.config.DataSources;
import dev.ringfence.config.Settings;
import dev.ringfence.harness.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SchemaMigrationIT {
    private final TestDatabase database = TestDatabase.empty();

    @AfterEach
    void drop() {
        database.close();
    }

    @Test
    void an_empty_database_is_brought_up_to_date_with_its_partitions() {
        SchemaMigration migration = migration(true);
        assertThat(migration.current()).isFalse();

        migration.ensureCurrent();
        migration.ensureCurrent();

        assertThat(migration.current()).isTrue();
        assertThat(database.number(
                        "select count(*) from pg_inherits where inhparent = 'ringfence.outbox_events'::regclass"))
                .isEqualTo(PartitionsRepository.WEEKS_AHEAD + 2);
        migration(true).ensureCurrent();
    }

    @Test
    void without_migration_an_old_database_is_refused_and_left_as_it_is() {
        SchemaMigration migration = migration(false);

        assertThatThrownBy(migration::ensureCurrent).hasMessageContaining("ringfence.schema.migrate");

        assertThat(migration.current()).isFalse();
        assertThat(database.number("select count(*) from pg_namespace where nspname = 'ringfence'"))
                .isZero();
    }

    @Test
    void without_migration_a_database_that_lacks_one_change_set_is_refused() {
        migration(true).ensureCurrent();
        database.execute("delete from ringfence.databasechangelog where id = '110-ensure-partitions'");

        assertThatThrownBy(migration(false)::ensureCurrent)
                .hasMessageContaining("lacks 1 change sets (ringfence:110-ensure-partitions first)");
    }

    @Test
    void without_migration_a_current_database_is_accepted() {
        migration(true).ensureCurrent();
        SchemaMigration migration = migration(false);

        migration.ensureCurrent();

        assertThat(migration.current()).isTrue();
    }

    @Test
    void another_nodes_turn_is_waited_for_but_not_for_ever() throws SQLException {
        try (Connection other = database.connect();
                Statement statement = other.createStatement()) {
            statement.execute("select pg_advisory_lock(1380535879, 2)");
            ChangeLog changeLog = new ChangeLog(database.dataSource(), Duration.ofMillis(100));

            assertThatThrownBy(changeLog::update)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("lock timeout");

            statement.execute("select pg_advisory_unlock(1380535879, 2)");
            changeLog.update();
        }
    }

    @Test
    void sessions_go_back_to_their_pool_as_they_came() throws SQLException {
        try (LentConnections pool = new LentConnections(database.dataSource())) {
            String before = pool.state();

            migration(pool.dataSource(), true).ensureCurrent();
            migration(pool.dataSource(), false).ensureCurrent();

            assertThat(pool.state()).isEqualTo(before);
            assertThat(database.number("select count(*) from pg_locks where locktype = 'advisory'"))
                    .isZero();
        }
    }

    private SchemaMigration migration(boolean migrate) {
        return migration(database.dataSource(), migrate);
    }

    private static SchemaMigration migration(DataSource source, boolean migrate) {
        DataSources dataSources = new DataSources() {
            @Override
            public DataSource pinned() {
                return source;
            }
        };
        Settings settings = Settings.from(Map.of(
                "ringfence.secrets.key",
                Base64.getEncoder().encodeToString(new byte[32]),
                "ringfence.schema.migrate",
                Boolean.toString(migrate)));
        return new SchemaMigration(dataSources, new PartitionsRepository(dataSources), settings, Clock.systemUTC());
    }
}
