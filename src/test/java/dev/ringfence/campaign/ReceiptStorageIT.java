package dev.ringfence.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.harness.RingfenceClient;
import dev.ringfence.harness.ServerProcess;
import dev.ringfence.harness.TestDatabase;
import dev.ringfence.harness.TestReceiver;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The receipt cannot be stored, ever: the attempts stay counted, the ceiling holds, the ledger keeps them all. */
class ReceiptStorageIT {
    private static final int EVENTS = 30;

    @Test
    @Tag("AT-2")
    @Tag("AT-5")
    void a_receipt_that_cannot_be_stored_never_gives_an_attempt_back() throws Exception {
        try (TestDatabase database = TestDatabase.empty();
                TestReceiver receiver = TestReceiver.start();
                ServerProcess server = Campaign.node("receipt", database).start()) {
            Campaign campaign = Campaign.on(server, receiver, 3, RingfenceClient.object());
            database.execute("""
                    create function break_receipts() returns trigger language plpgsql as $$
                    begin raise exception 'receipt storage is broken'; end $$
                    """);
            database.execute("create trigger break_receipts before update on delivery_attempts for each row"
                    + " when (new.state = 'ACKNOWLEDGED') execute function break_receipts()");
            campaign.record(0, EVENTS, 3);
            campaign.awaitQuiet(database, EVENTS, Duration.ofMinutes(4));

            Ledger ledger = Ledger.read(database, campaign.app);
            assertThat(ledger.count("dead")).isEqualTo(EVENTS);
            assertThat(ledger.contradictions(receiver.requests(), 6)).isEmpty();
            assertThat(ledger.reservations()).isEqualTo(EVENTS * 6L);
            assertThat((long) receiver.count()).isLessThanOrEqualTo(EVENTS * 6L);
            // Nearly all are ABANDONED; on a machine that does not keep up a few may have met the deadline instead.
            assertThat(database.number("select count(*) from delivery_attempts where state = 'UNCERTAIN' and counted"))
                    .as("ledger rows")
                    .isEqualTo(EVENTS * 6L);
        }
    }
}
