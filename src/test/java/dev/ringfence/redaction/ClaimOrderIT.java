package dev.ringfence.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which of the redactions that are due has its turn. */
class ClaimOrderIT {
    @Test
    @Tag("RD-1")
    void a_tenant_that_may_still_be_sent_to_comes_before_erasures_that_have_waited_longer() throws Exception {
        try (RedactionFixture fixture = new RedactionFixture()) {
            StepRepository steps = new StepRepository(fixture.rows.transactions);
            UUID fenced = fixture.request("fenced");
            fixture.fence(fenced, "fenced");
            fixture.rows.update("update redactions set next_at = now() - interval '1 hour' where id = ?", fenced);
            UUID waiting = fixture.request("waiting");

            assertThat(fixture.rows.transactions.inNew(() -> steps.claim("one")))
                    .hasValue(waiting);
            assertThat(fixture.rows.transactions.inNew(() -> steps.claim("two")))
                    .hasValue(fenced);
            assertThat(fixture.rows.transactions.inNew(() -> steps.claim("three")))
                    .isEmpty();
        }
    }
}
