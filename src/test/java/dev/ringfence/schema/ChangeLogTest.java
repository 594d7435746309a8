package dev.ringfence.schema;

import static org.assertj.core.api.Assertions.assertThat;

import liquibase.GlobalConfiguration;
import liquibase.Scope;
import liquibase.analytics.configuration.AnalyticsArgs;
import org.junit.jupiter.api.Test;

class ChangeLogTest {
    @Test
    void a_migration_reports_to_nobody_and_waits_a_minute_at_most() throws Exception {
        Scope.child(ChangeLog.scope(), () -> {
            assertThat(AnalyticsArgs.ENABLED.getCurrentValue()).isFalse();
            assertThat(GlobalConfiguration.CHANGELOGLOCK_WAIT_TIME.getCurrentValue())
                    .isEqualTo(1);
            assertThat(GlobalConfiguration.CHANGELOGLOCK_POLL_RATE.getCurrentValue())
                    .isEqualTo(1);
        });
    }
}
