package dev.ringfence.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.harness.Explained;
import dev.ringfence.ordering.MovedKeys;
import dev.ringfence.outbox.OrdinalsRepository;
import dev.ringfence.subscription.RealStreaks;
import dev.ringfence.subscription.RecipientRepository;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the fan-out of a batch costs follows the batch, also where PostgreSQL's statistics are still those of an empty outbox. */
class FanoutPlanIT {
    private static final int BATCH = 200;

    @Test
    @Tag("OB-2")
    @Tag("OB-3")
    void each_step_of_a_batch_looks_at_its_own_rows_only() {
        afterStatistics(outbox -> outbox.database.execute("analyze"), outbox -> {});
    }

    /** As it is when a backlog waits and the publishers begin: no lease yet, so the index of leases seems to cost nothing. */
    @Test
    @Tag("OB-2")
    @Tag("OB-3")
    void statistics_without_leases_do_not_lead_through_the_index_of_leases() {
        afterStatistics(outbox -> {}, outbox -> outbox.database.execute("analyze"));
    }

    /** As it is where a week was analyzed while almost all its pages held nothing. */
    @Test
    @Tag("OB-2")
    @Tag("OB-3")
    void a_week_that_seems_to_hold_little_is_not_read_whole() {
        afterStatistics(outbox -> {}, outbox -> {
            try (var superuser = outbox.database.superuser();
                    var statement = superuser.createStatement()) {
                statement.execute(
                        "update pg_class set relpages = 10000, reltuples = 100"
                                + " where relnamespace = 'ringfence'::regnamespace and relkind = 'r' and relname ~ '^outbox_events'");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static void afterStatistics(Consumer<FanoutFixture> beforeTheEvents, Consumer<FanoutFixture> afterwards) {
        try (FanoutFixture outbox = new FanoutFixture()) {
            beforeTheEvents.accept(outbox);
            FanoutFixture.Tenant tenant = outbox.tenant("one");
            outbox.subscription(tenant, Map.of("event_types", "'{*}'"));
            outbox.record(tenant, 100 * BATCH, "order.order.placed.v1", "{}");
            afterwards.accept(outbox);
            Explained explained = new Explained(outbox.transactions);
            Publication publication = new Publication(
                    new PublicationRepository(explained, RealStreaks.lifecycles(explained)),
                    new RecipientRepository(explained),
                    new NewDeliveriesRepository(explained, new OrdinalsRepository(explained)),
                    new MovedKeys(),
                    outbox.clock);
            Instant now = outbox.clock.instant();
            ClaimRepository claims = new ClaimRepository(explained);

            Claim claim = outbox.transactions.inNew(
                    () -> claims.claim("one", new Turn(Turn.START, BATCH, BATCH, BATCH), now, now.plusSeconds(60)));
            FanoutPlan plan = outbox.transactions.inNew(() -> publication.publish("one", claim.events()));

            assertThat(plan.deliveries()).hasSize(BATCH);
            explained.assertEachStepStaysBelow(2L * BATCH, 4);
            explained.assertIndexUnused(PublicationRepository.MOVE, "outbox_events_.*_locked_until_idx");
        }
    }
}
