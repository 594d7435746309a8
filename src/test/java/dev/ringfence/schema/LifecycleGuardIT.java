package dev.ringfence.schema;

import dev.ringfence.harness.TestDatabase;
import java.sql.SQLException;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("LC-1")
class LifecycleGuardIT {
    private static final TestDatabase DATABASE = TestDatabase.migrated();
    private final Refusals database = new Refusals(DATABASE);

    @BeforeAll
    static void enrol() {
        new Rows(DATABASE).enrol(UUID.randomUUID());
    }

    @AfterAll
    static void drop() {
        DATABASE.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "last_redacted_at = last_redacted_at - interval '1 microsecond'",
                "last_redacted_at = null",
                "enable_generation = enable_generation - 1",
                "configuration_revision = configuration_revision - 1",
                "epoch = gen_random_uuid(), configuration_revision = 0"
            })
    void nothing_moves_backwards(String change) {
        database.refuse("RF001", "update ringfence.tenant_lifecycle set " + change);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "last_redacted_at = last_redacted_at + interval '1 microsecond'",
                "last_redacted_at = last_redacted_at, enable_generation = enable_generation",
                "enable_generation = enable_generation + 1, configuration_revision = configuration_revision + 1",
                "epoch = gen_random_uuid(), phase = 'REDACTED', tenant = null"
            })
    void what_moves_forward_passes(String change) throws SQLException {
        database.permit("update ringfence.tenant_lifecycle set " + change);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "app_id = gen_random_uuid()",
                "tenant_hash = sha256('other')",
                "fence_key = fence_key + 1",
            })
    void identity_stays(String change) {
        database.refuse("RF002", "update ringfence.tenant_lifecycle set " + change);
    }

    @Test
    void no_row_is_ever_deleted() {
        database.refuse("RF003", "delete from ringfence.tenant_lifecycle");
        database.refuse("RF003", "truncate ringfence.tenant_lifecycle");
        database.refuse(
                "RF003", "select set_config('ringfence.erasure', 'on', false); delete from ringfence.tenant_lifecycle");
        database.refuse("RF003", "truncate ringfence.apps cascade");
    }
}
