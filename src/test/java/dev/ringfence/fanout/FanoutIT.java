package dev.ringfence.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.fanout.FanoutCounters.Counter;
import dev.ringfence.fanout.FanoutFixture.Tenant;
import dev.ringfence.harness.RecordedRows;
import dev.ringfence.outbox.EventAt;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Fan-out against a real database: who may publish what, and that nothing is published twice. */
class FanoutIT {

    private static final String ORDER = "order.order.placed.v1";

    private FanoutFixture fixture;
    private Tenant shop;

    @BeforeEach
    void open() {
        fixture = new FanoutFixture();
        shop = fixture.tenant("shop");
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    @Tag("OB-2")
    @Tag("OB-3")
    @Tag("SB-4")
    void parallelPublishersMakeEachDeliveryOnce() throws Exception {
        for (int i = 0; i < 3; i++) {
            fixture.subscription(shop, Map.of());
        }
        fixture.record(shop, 2_000, ORDER, "{}");
        ExecutorService threads = Executors.newFixedThreadPool(4);
        List<Future<Integer>> publishers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            publishers.add(threads.submit(() -> drain(fixture.publisher())));
        }
        int published = 0;
        for (Future<Integer> publisher : publishers) {
            published += publisher.get();
        }
        threads.shutdown();
        assertThat(published).isEqualTo(2_000);
        assertThat(fixture.hints.announced()).isEqualTo(6_000);
        assertThat(fixture.count(
                        "outbox_events", "status = 'PUBLISHED' and locked_by is null and published_at is not null"))
                .isEqualTo(2_000);
        assertThat(fixture.count("deliveries", "state = 'pending'")).isEqualTo(6_000);
        assertThat(fixture.database.number("select count(distinct (event_ordinal, subscription_id)) from deliveries"))
                .isEqualTo(6_000);
        assertThat(fixture.database.number("select count(distinct message_id) from deliveries"))
                .isEqualTo(6_000);
    }

    private static int drain(Fanout publisher) {
        int published = 0;
        FanoutResult result = publisher.runOnce();
        while (result.claimed() > 0) {
            published += result.published();
            result = publisher.runOnce();
        }
        return published;
    }

    @Test
    @Tag("PL-1")
    void whatIsFetchedWaitsWithAPlaceInItsFeedAndIsNeverDue() {
        UUID reader = fixture.subscription(shop, Map.of("mode", "'PULL'", "url", "null", "headers", "null"));
        fixture.subscription(shop, Map.of());
        fixture.record(shop, 3, ORDER, "{}");
        fixture.publisher().runOnce();
        String mine = "subscription_id = '" + reader + "' and ";
        assertThat(fixture.count(
                        "deliveries_live",
                        mine
                                + "mode = 'PULL' and state = 'pending' and feed_xid is not null and next_attempt_at is null"
                                + " and url is null"))
                .isEqualTo(3);
        assertThat(fixture.count(
                        "deliveries_live", "mode = 'PUSH' and feed_xid is null and next_attempt_at is not null"))
                .isEqualTo(3);
    }

    /** By their keys those that still wait, and no others; what somebody leases now is skipped, not waited for. */
    @Test
    @Tag("OB-2")
    void eventsAreLeasedByTheirKeysWhereTheyStillWait() throws SQLException {
        fixture.subscription(shop, Map.of());
        fixture.record(shop, 7, ORDER, "{}");
        List<EventAt> all = RecordedRows.of(fixture.database);
        assertThat(fixture.publisher().runOnce(all.subList(0, 2)).published()).isEqualTo(2);
        fixture.database.execute(
                "update outbox_events set available_at = available_at + interval '1 hour' where ordinal = "
                        + all.get(2).ordinal());
        try (Connection other = fixture.database.connect();
                var statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute(
                    "select from outbox_events where ordinal = " + all.get(3).ordinal() + " for update");

            Claim claim = fixture.claims.claim(all.subList(0, 6));

            assertThat(claim.events())
                    .extracting(ClaimedEvent::ordinal)
                    .containsExactly(all.get(4).ordinal(), all.get(5).ordinal());
            assertThat(fixture.claims.claim(all.subList(4, 6)).events())
                    .as("leased already")
                    .isEmpty();
            other.rollback();
        }
        assertThat(fixture.count("outbox_events", "status = 'PENDING'")).isEqualTo(3);
        assertThat(fixture.publisher().runOnce().published())
                .as("what a look finds")
                .isEqualTo(2);
    }

    @Test
    @Tag("OB-2")
    @Tag("OB-4")
    void aLeaseOfACrashedPublisherIsTakenOverAndItsLateCommitChangesNothing() {
        fixture.subscription(shop, Map.of());
        fixture.record(shop, 10, ORDER, "{}");
        Claim crashed = fixture.claims.claim();
        assertThat(fixture.publisher().runOnce()).isEqualTo(FanoutResult.NOTHING);

        fixture.clock.advance(Duration.ofSeconds(16));
        FanoutResult result = fixture.publisher().runOnce();
        assertThat(result.published()).isEqualTo(10);
        assertThat(fixture.counters.count(Counter.LEASES_TAKEN_OVER)).isEqualTo(10);

        FanoutPlan late = fixture.publication.publish(crashed.holder(), crashed.events());
        assertThat(late.moves()).isEmpty();
        assertThat(fixture.count("deliveries", "true")).isEqualTo(10);
        assertThat(fixture.count("outbox_events", "attempt_count = 2")).isEqualTo(10);
    }

    @Test
    @Tag("OB-2")
    void backlogsOfSomeTenantsDoNotKeepTheOthersWaiting() {
        for (int i = 0; i < 6; i++) {
            fixture.record(fixture.tenant("big-" + i), 600, ORDER, "{}");
        }
        Set<Long> small = new HashSet<>();
        for (int i = 0; i < 10; i++) {
            Tenant tenant = fixture.tenant("small-" + i);
            fixture.record(tenant, 1, ORDER, "{}");
            small.add(tenant.id());
        }
        Fanout publisher = fixture.publisher();

        assertThat(List.of(publisher.runOnce().published(), publisher.runOnce().published()))
                .as("full batches all the same")
                .containsExactly(500, 500);

        String ids = small.stream().map(String::valueOf).collect(Collectors.joining(", "));
        assertThat(fixture.count("outbox_events", "status = 'PUBLISHED' and tenant_id in (" + ids + ")"))
                .isEqualTo(10);
        while (publisher.runOnce().more()) {
            // to the end
        }
        assertThat(fixture.count("outbox_events", "status <> 'PUBLISHED'")).isZero();
    }

    @Test
    @Tag("FN-1")
    void aTenantWhoseFenceIsTakenIsPutOffAndHoldsNobodyUp() throws SQLException {
        Tenant other = fixture.tenant("other");
        fixture.subscription(shop, Map.of());
        fixture.subscription(other, Map.of());
        fixture.record(shop, 5, ORDER, "{}");
        fixture.record(other, 5, ORDER, "{}");
        try (Connection redaction = fixture.database.connect()) {
            FanoutFixture.run(
                    redaction, "select pg_advisory_lock(?)", shop.fence().value());
            assertThat(fixture.publisher().runOnce().published()).isEqualTo(5);
            assertThat(
                            fixture.count(
                                    "outbox_events",
                                    "tenant_id = " + shop.id()
                                            + " and status = 'FAILED_RETRYABLE' and attempt_count = 0 and last_error_code = 'FENCE_TAKEN'"))
                    .isEqualTo(5);
        }
        fixture.clock.advance(FanoutBackoff.FENCE_WAIT);
        assertThat(fixture.publisher().runOnce().published()).isEqualTo(5);
        assertThat(fixture.count("outbox_events", "status = 'PUBLISHED' and last_error_code is null"))
                .isEqualTo(10);
    }

    @Test
    @Tag("FN-4")
    @Tag("LC-2")
    void whatBelongsToAnotherInstallationIsDiscardedNotDelivered() {
        Tenant redacted = fixture.tenant("redacted");
        Tenant disabled = fixture.tenant("disabled");
        for (Tenant tenant : List.of(shop, redacted, disabled)) {
            fixture.subscription(tenant, Map.of());
            fixture.record(tenant, 2, ORDER, "{}");
        }
        fixture.database.execute(
                "update tenant_lifecycle set epoch = gen_random_uuid() where tenant_id = " + shop.id());
        fixture.database.execute("update tenant_lifecycle set phase = 'REDACTED' where tenant_id = " + redacted.id());
        fixture.database.execute("update apps set enabled = false where id = '" + disabled.app() + "'");

        FanoutResult result = fixture.publisher().runOnce();

        assertThat(result.published()).isZero();
        assertThat(fixture.count("deliveries", "true")).isZero();
        assertThat(discarded(shop)).isEqualTo("STALE_EPOCH");
        assertThat(discarded(redacted)).isEqualTo("TENANT_REDACTED");
        assertThat(discarded(disabled)).isEqualTo("APP_DISABLED");
        assertThat(fixture.count("tenant_lifecycle", "phase = 'ACTIVE'")).isEqualTo(2);
    }

    /** The recorder had read that the application is enabled, and commits when it is so again. */
    @Test
    @Tag("RT-2")
    void whatWasRecordedBeforeTheApplicationWasEnabledAgainIsNeverSentHoweverLateItCommits() throws SQLException {
        fixture.subscription(shop, Map.of());
        fixture.record(shop, 2, ORDER, "{}");
        fixture.database.execute(
                "insert into app_cancellations (app_id, disabled_at, barrier, finished_at, enabled_from)" + " values ('"
                        + shop.app() + "', now(), pg_current_xact_id(), now(), nextval('ordinals'))");
        fixture.record(shop, 3, ORDER, "{}");

        assertThat(fixture.publisher().runOnce().published()).isEqualTo(3);

        assertThat(discarded(shop)).isEqualTo("APP_DISABLED");
        assertThat(fixture.count("deliveries", "true")).isEqualTo(3);
    }

    private String discarded(Tenant tenant) {
        for (FanoutCode code : FanoutCode.values()) {
            if (fixture.count(
                            "outbox_events",
                            "status = 'DISCARDED' and tenant_id = " + tenant.id() + " and last_error_code = '" + code
                                    + "'")
                    == 2) {
                return code.name();
            }
        }
        return "none";
    }

    @Test
    @Tag("OB-2")
    void anEventThatMakesItsTransactionFailHarmsNoOtherAndIsDeadInTheEnd() throws SQLException {
        fixture.subscription(shop, Map.of());
        fixture.record(shop, 60, ORDER, "{}");
        long poisonous =
                fixture.database.number("select ordinal from outbox_events order by ordinal offset 41 limit 1");
        fixture.database.execute("create function boom() returns trigger language plpgsql as"
                + " $$ begin raise exception 'a value of the event'; end $$");
        fixture.database.execute(
                "create trigger boom before insert on delivery_keys for each row when (new.event_ordinal = " + poisonous
                        + ") execute function boom()");

        assertThat(fixture.publisher().runOnce().published()).isEqualTo(59);
        String waiting =
                "ordinal = " + poisonous + " and status = 'FAILED_RETRYABLE' and last_error_code = 'FANOUT_FAILED'";
        assertThat(fixture.count("outbox_events", waiting + " and last_error_message not like '%value%'"))
                .isEqualTo(1);

        for (int i = 1; i < FanoutBackoff.MAX_ATTEMPTS; i++) {
            assertThat(fixture.publisher().runOnce().claimed()).isZero();
            fixture.clock.advance(Duration.ofMinutes(5));
            assertThat(fixture.publisher().runOnce().claimed()).isEqualTo(1);
        }
        assertThat(fixture.count("outbox_events", "ordinal = " + poisonous + " and status = 'DEAD_LETTERED'"))
                .isEqualTo(1);
        assertThat(fixture.count("deliveries", "true")).isEqualTo(59);
    }

    @Test
    @Tag("SB-2")
    @Tag("SB-3")
    @Tag("SB-5")
    void filterAndGrantsDecideWhatWaits() {
        fixture.subscription(shop, Map.of("event_types", "'{invoice.*}'"));
        fixture.subscription(shop, Map.of("match", "'[{\"payload.country\": [\"DE\", \"AT\"]}]'"));
        fixture.subscription(shop, Map.of("grants", "'{}'"));
        fixture.record(shop, 1, ORDER, "{\"country\":\"DE\"}");
        fixture.record(shop, 1, ORDER, "{\"country\":\"FR\"}");

        assertThat(fixture.publisher().runOnce().deliveries()).isEqualTo(1);

        assertThat(fixture.count("deliveries", "true")).isEqualTo(4);
        assertThat(
                        fixture.count(
                                "deliveries",
                                "state = 'skipped_filter' and next_attempt_at is null and url is null and finished_at is not null"))
                .isEqualTo(1);
        assertThat(
                        fixture.count(
                                "deliveries",
                                "state = 'failed' and last_code = 'ACCESS_ABSENT' and next_attempt_at is null and attempts = 0"))
                .isEqualTo(2);
        assertThat(fixture.hints.announced()).isEqualTo(1);
    }

    @Test
    @Tag("SB-4")
    void aDeliveryKeepsTheUrlOfItsFanout() {
        fixture.subscription(shop, Map.of());
        fixture.record(shop, 1, ORDER, "{}");
        fixture.publisher().runOnce();
        fixture.database.execute("update subscriptions set url = 'https://elsewhere.example.test/', headers = null");
        assertThat(fixture.count(
                        "deliveries d",
                        "url = 'https://hooks.example.test/in' and headers = '{\"X-Shop\": \"1\"}' and protocol = 1 and"
                                + " body_bytes is null and body_sha256 = (select payload_sha256 from outbox_events)"
                                + " and next_attempt_at = created_at and cycle_started_at = created_at"))
                .isEqualTo(1);
    }

    @Test
    @Tag("SB-1")
    @Tag("SB-4")
    void aTemplateMakesBytesOfItsOwnAndOthersShareTheEvents() {
        UUID plain = fixture.subscription(shop, Map.of());
        UUID own = fixture.subscription(
                shop,
                Map.of(
                        "envelope",
                        "'{\"z\":\"{{payload.name}}\",\"what\":\"{{eventName}} for {{tenant}} of {{subscription.name}}\",\"a\":[\"{{subscription.id}}\"]}'"));
        fixture.record(shop, 1, ORDER, "{\"name\":\"\\\",\\\"admin\\\":{{tenant}}\"}");

        assertThat(fixture.publisher().runOnce().deliveries()).isEqualTo(2);

        assertThat(fixture.count("deliveries", "subscription_id = '" + plain + "' and body_bytes is null"))
                .isEqualTo(1);
        assertThat(fixture.database.text(
                        "select convert_from(body_bytes, 'UTF8') from deliveries where subscription_id = '" + own
                                + "' and body_sha256 = sha256(body_bytes)"))
                .isEqualTo("{\"z\":\"\\\",\\\"admin\\\":{{tenant}}\",\"what\":\"" + ORDER
                        + " for shop of orders\",\"a\":[\"" + own + "\"]}");
        assertThat(fixture.database.number("select count(distinct message_id) from deliveries"))
                .isEqualTo(2);
        assertThat(
                        fixture.count(
                                "deliveries d join outbox_events e on e.ordinal = d.event_ordinal",
                                "d.event_name = e.event_name and d.octets = octet_length(coalesce(d.body_bytes, e.payload_bytes))"))
                .isEqualTo(2);
    }

    @Test
    @Tag("SB-1")
    void aTemplateThatMakesNoBodyFailsItsOwnDeliveryAndNoOther() {
        UUID plain = fixture.subscription(shop, Map.of());
        UUID broken = fixture.subscription(shop, Map.of("envelope", "'{\"a\":\"{{never closed\"}'"));
        String often = "\"{{payload}}\"" + ",\"{{payload}}\"".repeat(99);
        UUID large = fixture.subscription(shop, Map.of("envelope", "'[" + often + "]'"));
        fixture.record(shop, 1, ORDER, "\"" + "x".repeat(100_000) + "\"");
        fixture.record(shop, 1, ORDER, "\"small\"");

        assertThat(fixture.publisher().runOnce().published()).isEqualTo(2);

        assertThat(fixture.count("deliveries", "state = 'pending' and subscription_id = '" + plain + "'"))
                .isEqualTo(2);
        String failed = "state = 'failed' and last_code = 'BODY_TOO_LARGE' and attempts = 0 and finished_at is not null"
                + " and subscription_id = '";
        assertThat(fixture.count("deliveries", failed + broken + "'")).isEqualTo(2);
        assertThat(fixture.count("deliveries", failed + large + "'")).isEqualTo(1);
        assertThat(fixture.count("deliveries", "state = 'pending' and subscription_id = '" + large + "'"))
                .isEqualTo(1);
        assertThat(fixture.counters.count(Counter.DELIVERIES_OVERSIZE)).isEqualTo(3);
    }

    @Test
    @Tag("SB-1")
    @Tag("SB-5")
    void whatHadNoConsentKeepsItsBodyForTheDayThatItHas() {
        fixture.subscription(shop, Map.of("envelope", "'{\"id\":\"{{payload.id}}\"}'", "grants", "'{}'"));
        fixture.record(shop, 1, ORDER, "{\"id\":7}");
        fixture.publisher().runOnce();
        assertThat(fixture.database.text(
                        "select last_code || convert_from(body_bytes, 'UTF8') from deliveries where state = 'failed'"))
                .isEqualTo("ACCESS_ABSENT{\"id\":7}");
    }

    @Test
    @Tag("SB-3")
    void eventsFromBeforeASubscriptionOrDuringItsPauseCreateNothing() {
        fixture.record(shop, 1, ORDER, "{}");
        fixture.clock.advance(Duration.ofMillis(1));
        fixture.subscription(shop, Map.of());
        fixture.subscription(shop, Map.of("status", "'PAUSED'", "created_at", "'2020-01-01Z'"));
        fixture.subscription(shop, Map.of("status", "'DISABLED'", "created_at", "'2020-01-01Z'"));
        assertThat(fixture.publisher().runOnce().published()).isEqualTo(1);
        assertThat(fixture.count("deliveries", "true")).isZero();
    }

    @Test
    @Tag("SB-3")
    void whatWasRecordedBeforeAPauseIsTakenAndWhatWasRecordedInItNever() {
        UUID hook = fixture.subscription(shop, Map.of());
        fixture.record(shop, 2, ORDER, "{\"when\":\"before\"}");
        close(hook, "PAUSED");
        fixture.record(shop, 3, ORDER, "{\"when\":\"in\"}");
        assertThat(fixture.publisher().runOnce().published()).isEqualTo(5);
        assertThat(fixture.count("deliveries", "state = 'pending'"))
                .as("only what came before")
                .isEqualTo(2);

        fixture.record(shop, 4, ORDER, "{\"when\":\"late in\"}");
        close(hook, "ACTIVE");
        fixture.record(shop, 1, ORDER, "{\"when\":\"after\"}");
        assertThat(fixture.publisher().runOnce().published()).isEqualTo(5);
        assertThat(fixture.count("deliveries", "state = 'pending'")).isEqualTo(3);
    }

    private void close(UUID hook, String status) {
        fixture.database.execute("update ringfence.subscriptions set status = '" + status
                + "', closings = closings || nextval('ringfence.ordinals') where id = '" + hook + "'");
    }

    @Test
    @Tag("OB-3")
    void noMoreEnvelopesAreReadAtOnceThanThereIsMemoryFor() {
        fixture.subscription(shop, Map.of("match", "'[{\"payload.country\": \"DE\"}]'"));
        fixture.record(shop, 34, ORDER, "{\"country\":\"DE\",\"text\":\"" + "x".repeat(1 << 20) + "\"}");
        Claim claim = fixture.claims.claim();
        FanoutPlan first = fixture.publication.publish(claim.holder(), claim.events());
        assertThat(first.moves()).as("what has room in 32 MiB").hasSize(31);
        assertThat(first.rest()).isEqualTo(claim.events().subList(31, 34));
        assertThat(fixture.publication.publish(claim.holder(), first.rest()).published())
                .isEqualTo(3);
        assertThat(fixture.count("deliveries", "state = 'pending'")).isEqualTo(34);
    }

    @Test
    @Tag("OB-3")
    void anEnvelopeThatIsLargerThanAllTheRoomGoesAlone() {
        fixture.subscription(shop, Map.of("match", "'[{\"payload.country\": \"DE\"}]'"));
        fixture.record(shop, 2, ORDER, "{\"country\":\"DE\",\"text\":\"" + "x".repeat(33 << 20) + "\"}");
        fixture.record(shop, 2, ORDER, "{\"country\":\"DE\"}");
        Claim claim = fixture.claims.claim();
        FanoutPlan first = fixture.publication.publish(claim.holder(), claim.events());
        assertThat(first.moves()).hasSize(1);
        assertThat(fixture.publication.publish(claim.holder(), first.rest()).moves())
                .hasSize(1);
        fixture.publication.publish(
                claim.holder(), first.rest().subList(1, first.rest().size()));
        assertThat(fixture.count("outbox_events", "last_error_code = 'MALFORMED_PAYLOAD'"))
                .as("larger than an envelope may be")
                .isEqualTo(2);
        assertThat(fixture.count("outbox_events", "status = 'PUBLISHED'")).isEqualTo(2);
    }

    @Test
    @Tag("OB-3")
    void anEnvelopeThatNoFilterCanReadIsDeadAtOnce() {
        fixture.subscription(shop, Map.of("match", "'[{\"payload.country\": \"DE\"}]'"));
        fixture.record(shop, 1, ORDER, "{\"broken\"");
        fixture.record(shop, 1, ORDER, "{\"country\":\"DE\"}");
        assertThat(fixture.publisher().runOnce().published()).isEqualTo(1);
        assertThat(fixture.count("outbox_events", "status = 'DEAD_LETTERED' and last_error_code = 'MALFORMED_PAYLOAD'"))
                .isEqualTo(1);
    }
}
