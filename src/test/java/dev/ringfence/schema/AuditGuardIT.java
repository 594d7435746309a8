package dev.ringfence.schema;

import dev.ringfence.harness.TestDatabase;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class AuditGuardIT {
    private static final TestDatabase DATABASE = TestDatabase.migrated();

    @AfterAll
    static void drop() {
        DATABASE.close();
    }

    @Test
    @Tag("OP-1")
    void the_audit_log_takes_entries_and_never_lets_go() throws SQLException {
        Refusals database = new Refusals(DATABASE);
        database.permit("insert into ringfence.audit_log (at, actor, action, target, reason)"
                + " values (clock_timestamp(), 'ann', 'RETRY', 'delivery 1', 'asked for')");

        database.refuse("RF040", "update ringfence.audit_log set reason = 'other'");
        database.refuse("RF040", "delete from ringfence.audit_log");
        database.refuse("RF040", "truncate ringfence.audit_log");
        database.refuse(
                "RF040", "select set_config('ringfence.erasure', 'on', false); delete from ringfence.audit_log");
        database.refuse(
                "428C9",
                "insert into ringfence.audit_log (id, at, actor, action, target)"
                        + " values (1, clock_timestamp(), 'ann', 'RETRY', 'delivery 1')");
    }
}
