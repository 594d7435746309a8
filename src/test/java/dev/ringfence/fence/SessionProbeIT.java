package dev.ringfence.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.ringfence.harness.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** What stands before the database, with a real PgBouncer in each of its modes. */
@Tag("FN-8")
class SessionProbeIT {
    private static final TestDatabase DATABASE = TestDatabase.empty();

    @AfterAll
    static void drop() {
        DATABASE.close();
    }

    @Test
    void a_session_of_the_server_itself_holds_fences() {
        SessionKind kind = new SessionProbe(DATABASE::dataSource).look();
        assertThat(kind).isEqualTo(SessionKind.DIRECT);
        assertThat(kind.holdsFences()).isTrue();
    }

    @Test
    void a_pooler_in_transaction_mode_holds_none() throws Exception {
        SessionKind kind = through("transaction");
        assertThat(kind).isEqualTo(SessionKind.POOLED_TRANSACTIONS);
        assertThat(kind.holdsFences()).isFalse();
    }

    @Test
    void a_pooler_in_session_mode_holds_fences() throws Exception {
        SessionKind kind = through("session");
        assertThat(kind).isEqualTo(SessionKind.POOLED_SESSIONS);
        assertThat(kind.holdsFences()).isTrue();
    }

    @Test
    void a_database_that_is_away_is_unknown() {
        PGSimpleDataSource nowhere = new PGSimpleDataSource();
        nowhere.setUrl("jdbc:postgresql://127.0.0.1:1/none");
        SessionKind kind = new SessionProbe(() -> nowhere).look();
        assertThat(kind).isEqualTo(SessionKind.UNKNOWN);
        assertThat(kind.holdsFences()).isFalse();
    }

    private static SessionKind through(String mode) throws Exception {
        if (PgBouncer.program().isEmpty() && "true".equals(System.getenv("CI"))) {
            fail("PgBouncer is not installed, and CI=true");
        }
        Assumptions.assumeTrue(PgBouncer.program().isPresent(), "PgBouncer is not installed");
        try (PgBouncer bouncer = PgBouncer.start(DATABASE, mode)) {
            return new SessionProbe(bouncer::dataSource).look();
        }
    }
}
