package dev.ringfence.tracking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ringfence.lifecycle.TenantRef;
import dev.ringfence.redaction.RedactionFixture;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A save of settings beside the redaction of a tenant that was never enrolled: there is no lifecycle row that both could lock. */
class SettingsBoundaryIT {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String LOCK_TIMEOUT = "55P03";

    @Test
    @Tag("RD-4")
    @Tag("LC-2")
    void a_save_that_has_looked_for_a_boundary_is_committed_before_one_is_set_and_so_is_emptied() {
        try (RedactionFixture fixture = new RedactionFixture()) {
            SettingsRepository settings = new SettingsRepository(fixture.rows.transactions);
            TenantRef tenant = new TenantRef(fixture.rows.app, "shop");
            UUID redaction = fixture.request("shop");

            CompletableFuture<Void> fenced = fixture.rows.transactions.inNew(() -> {
                assertThat(settings.boundary(tenant)).isEmpty();
                CompletableFuture<Void> began = CompletableFuture.runAsync(() -> fence(fixture, redaction));
                await().atMost(PATIENCE).until(() -> began.isDone() || waits(fixture));
                assertThat(settings.create(tenant, "{\"note\":\"canary\"}", Instant.now()))
                        .hasValue(1L);
                assertThat(began).as("waits for the save").isNotDone();
                return began;
            });
            fenced.join();

            assertThat(fixture.rows.text(
                            "select concat_ws(' ', revision, settings, settings_text) from tenant_settings"))
                    .isEqualTo("1");
            assertThat(fixture.rows.transactions.inNew(() -> settings.boundary(tenant)))
                    .isPresent();
        }
    }

    /** Tries again where the save took longer than the statement waits for a lock, as the redaction does. */
    private static void fence(RedactionFixture fixture, UUID redaction) {
        @Nullable SQLException last;
        do {
            try {
                fixture.fence(redaction, "shop");
                last = null;
            } catch (SQLException refused) {
                last = refused;
            }
        } while (last != null && LOCK_TIMEOUT.equals(last.getSQLState()));
        if (last != null) {
            throw new IllegalStateException(last);
        }
    }

    private static boolean waits(RedactionFixture fixture) {
        return fixture.rows.database.number("select count(*) from pg_locks l join pg_database d on d.oid = l.database"
                        + " where d.datname = current_database() and l.locktype = 'advisory' and not l.granted")
                > 0;
    }
}
