package dev.ringfence.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.harness.LocalTransactions;
import dev.ringfence.harness.TestDatabase;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The compare-and-swap that makes a tenant active, for an enrolment whose fence was lost between its look and its write. */
class EnrolmentRepositoryIT {
    private static final TestDatabase DATABASE = TestDatabase.migrated();
    private static final LocalTransactions TRANSACTIONS = new LocalTransactions(DATABASE.dataSource());
    private static final Instant NOW = Instant.now().truncatedTo(ChronoUnit.MICROS);

    private final EnrolmentRepository enrolments = new EnrolmentRepository();
    private final TenantRef tenant = new TenantRef(UUID.randomUUID(), "shop");

    @AfterAll
    static void drop() {
        DATABASE.close();
    }

    @BeforeEach
    void register() {
        enrolments.dataSources = TRANSACTIONS;
        DATABASE.execute("insert into apps (id, name, created_at, updated_at) values ('" + tenant.appId() + "', '"
                + tenant.appId() + "', now(), now())");
    }

    private Optional<TenantLifecycle> mint(UUID seen) {
        return TRANSACTIONS.inNew(() -> enrolments.mint(tenant, UUID.randomUUID(), NOW, seen));
    }

    /** As the fencing statement leaves the row where the clock has stepped back: phase and boundary as they were. */
    private UUID redact() {
        UUID epoch = UUID.randomUUID();
        DATABASE.execute("update tenant_lifecycle set phase = 'REDACTED', epoch = '" + epoch
                + "', last_redacted_at = greatest(last_redacted_at, '2026-01-01T00:00:00Z') where app_id = '"
                + tenant.appId() + "'");
        return epoch;
    }

    @Test
    @Tag("LC-4")
    void a_redaction_that_was_not_seen_is_not_undone_even_where_it_left_the_boundary_as_it_was() {
        assertThat(mint(null)).isPresent();
        UUID seen = redact();
        UUID since = redact();

        assertThat(mint(seen)).isEmpty();
        assertThat(mint(null)).isEmpty();
        assertThat(DATABASE.number("select count(*) from tenant_lifecycle where phase = 'ACTIVE' and app_id = '"
                        + tenant.appId() + "'"))
                .isZero();
        assertThat(mint(since)).isPresent();
        assertThat(mint(since)).as("it is active now").isEmpty();
    }
}
