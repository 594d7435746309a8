package dev.ringfence.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.harness.TestDatabase;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class DurabilityIT {

    @Test
    @Tag("AT-1")
    void a_database_that_syncs_is_sufficient() {
        try (TestDatabase database = TestDatabase.empty()) {
            assertThat(DurabilityRepository.read(database.dataSource(), database.dataSource()))
                    .isEqualTo(new Durability.Known(true, true, true, true));
        }
    }

    @Test
    @Tag("AT-1")
    void a_database_that_takes_no_writes_is_not() {
        try (TestDatabase database = TestDatabase.empty()) {
            database.execute("alter database \"" + database.name() + "\" set default_transaction_read_only = on");
            assertThat(DurabilityRepository.read(database.dataSource(), database.dataSource()))
                    .isEqualTo(new Durability.Known(true, true, false, true));
        }
    }

    @Test
    @Tag("FN-4")
    void a_pool_whose_transactions_keep_to_one_snapshot_is_not() {
        try (TestDatabase database = TestDatabase.empty()) {
            database.execute(
                    "alter database \"" + database.name() + "\" set default_transaction_isolation = 'repeatable read'");
            Durability found = DurabilityRepository.read(database.dataSource(), database.dataSource());
            assertThat(found).isEqualTo(new Durability.Known(true, true, true, false));
            assertThat(((Durability.Known) found).sufficient()).isFalse();
        }
    }

    @Test
    @Tag("AT-1")
    void a_database_without_fsync_is_not() throws Exception {
        // This embedded server starts with fsync off unless told otherwise, which is just what is wanted here.
        try (EmbeddedPostgres careless = EmbeddedPostgres.builder().start()) {
            Durability found =
                    DurabilityRepository.read(careless.getPostgresDatabase(), careless.getPostgresDatabase());
            assertThat(found).isInstanceOfSatisfying(Durability.Known.class, known -> {
                assertThat(known.fsync()).isFalse();
                assertThat(known.sufficient()).isFalse();
            });
        }
    }

    @Test
    void a_database_that_does_not_answer_is_named_by_its_state_only() {
        PGSimpleDataSource nobody = new PGSimpleDataSource();
        nobody.setURL("jdbc:postgresql://127.0.0.1:1/none?connectTimeout=2");
        assertThat(DurabilityRepository.read(nobody, nobody)).isEqualTo(new Durability.Unreachable("08001"));
    }
}
