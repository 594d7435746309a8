package dev.ringfence.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.ringfence.harness.LocalTransactions;
import dev.ringfence.harness.TestDatabase;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An audit entry lives and dies with the transaction of its deed, and cannot be changed afterwards. */
class AuditIT {

    private static final TestDatabase DATABASE = TestDatabase.migrated();
    private static final Instant NOW = Instant.parse("2026-03-01T10:00:00.123456Z");

    private final LocalTransactions transactions = new LocalTransactions(DATABASE.dataSource());
    private final Audit audit = new Audit(new AuditRepository(transactions), Clock.fixed(NOW, ZoneOffset.UTC));

    @AfterAll
    static void drop() {
        DATABASE.close();
    }

    private boolean enter(String target) {
        audit.record(
                "key:1 (ops)", "test", UUID.randomUUID(), 7L, target, "because", JsonNodeFactory.instance.objectNode());
        return true;
    }

    @Test
    @Tag("OP-1")
    void anEntryCommitsWithItsDeedAndRollsBackWithIt() {
        transactions.inNew(() -> enter("kept"));
        assertThatThrownBy(() -> transactions.inNew(() -> {
                    enter("gone");
                    throw new IllegalStateException("the deed failed");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(DATABASE.number("select count(*) from audit_log where target = 'gone'"))
                .isZero();
        assertThat(DATABASE.number("select count(*) from audit_log where target = 'kept' and at = '" + NOW
                        + "' and actor = 'key:1 (ops)' and reason = 'because' and tenant_id = 7 and detail = '{}'"))
                .isEqualTo(1);
    }

    @Test
    @Tag("OP-1")
    void aGlobalDeedNeedsNeitherAppNorReason() {
        audit.record("key:1 (root)", "test", null, null, "global", null, null);
        assertThat(DATABASE.number("select count(*) from audit_log where target = 'global' and app_id is null"))
                .isEqualTo(1);
    }
}
