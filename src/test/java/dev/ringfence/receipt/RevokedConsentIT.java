package dev.ringfence.receipt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.config.Settings;
import dev.ringfence.delivery.DeliveryCounters;
import dev.ringfence.delivery.DeliveryFixture;
import dev.ringfence.ordering.MovedKeys;
import dev.ringfence.subscription.RealStreaks;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What becomes of deliveries that wait when grants are narrowed, against PostgreSQL. */
class RevokedConsentIT {
    private static final Instant NOW = Instant.now().truncatedTo(ChronoUnit.MICROS);

    private static DeliveryFixture fixture;

    private long tenant;
    private UUID subscription;

    @BeforeAll
    static void open() {
        fixture = new DeliveryFixture();
    }

    @AfterAll
    static void close() {
        fixture.close();
    }

    @BeforeEach
    void subscribe() {
        tenant = fixture.tenant("tenant-" + UUID.randomUUID());
        subscription = fixture.subscription(tenant, "AT_LEAST_ONCE", 6);
    }

    /** The container's REQUIRES_NEW, by hand. */
    private static final class Narrowings extends NarrowedRepository {
        Narrowings() {
            super(fixture.transactions);
        }

        @Override
        List<Narrowed> claim(Instant now, Duration lease, int limit) {
            return fixture.transactions.inNew(() -> super.claim(now, lease, limit));
        }

        @Override
        List<Waiting> page(Narrowed of, @Nullable Waiting after, int limit) {
            return fixture.transactions.inNew(() -> super.page(of, after, limit));
        }

        @Override
        void again(Narrowed one, Instant from) {
            fixture.transactions.inNew(() -> {
                super.again(one, from);
                return null;
            });
        }

        @Override
        void done(Narrowed one) {
            fixture.transactions.inNew(() -> {
                super.done(one);
                return null;
            });
        }
    }

    private static final class Endings extends Conclusions {
        Endings() {
            super(
                    new ConclusionRepository(fixture.transactions),
                    new BlameRepository(
                            fixture.transactions,
                            Settings.from(Map.of(
                                    "ringfence.secrets.key", Base64.getEncoder().encodeToString(new byte[32])))),
                    RealStreaks.over(fixture.transactions),
                    new MovedKeys(),
                    new DeliveryCounters());
        }

        @Override
        public int conclude(List<Conclusion> conclusions, Instant now) {
            return fixture.transactions.inNew(() -> super.conclude(conclusions, now));
        }
    }

    private static int sweep(Instant now) {
        return new RevokedConsent(new Narrowings(), new Endings(), Clock.fixed(now, ZoneOffset.UTC)).sweep();
    }

    private void narrow(String grants) {
        fixture.update(
                "update subscriptions set grants = cast(? as text[]), narrowed_at = ?, narrowed_look_at = ? where id = ?",
                grants,
                NOW.atOffset(ZoneOffset.UTC),
                NOW.atOffset(ZoneOffset.UTC),
                subscription);
    }

    private boolean watched() {
        return fixture.text("select 1 from subscriptions where id = ? and narrowed_at is not null", subscription)
                != null;
    }

    private long failed() {
        return fixture.database.number("select count(*) from ringfence.deliveries where tenant_id = " + tenant
                + " and state = 'failed' and last_code = 'ACCESS_ABSENT'");
    }

    @Test
    @Tag("SB-5")
    void all_that_waits_without_consent_fails_at_once_however_late_it_is_due_and_also_in_a_pause() {
        List<Long> waiting = fixture.deliveries(tenant, subscription, 501, NOW.plus(Duration.ofHours(6)));
        List<Long> due = fixture.deliveries(tenant, subscription, 1, NOW.minusSeconds(1));
        UUID other = fixture.subscription(tenant, "AT_LEAST_ONCE", 6);
        List<Long> others = fixture.deliveries(tenant, other, 1, NOW);
        fixture.update("update subscriptions set status = 'PAUSED' where id = ?", subscription);
        narrow("{customer.*}");

        assertThat(sweep(NOW)).isEqualTo(502);

        assertThat(failed()).isEqualTo(502);
        assertThat(fixture.delivery(waiting.get(500), "state || ' ' || last_code"))
                .isEqualTo("failed ACCESS_ABSENT");
        assertThat(fixture.delivery(due.get(0), "state")).isEqualTo("failed");
        assertThat(fixture.delivery(others.get(0), "state")).isEqualTo("pending");
    }

    @Test
    @Tag("SB-5")
    void what_is_under_way_or_fanned_out_late_is_found_later_and_then_nothing_is_looked_at_any_more() {
        long flying =
                fixture.deliveries(tenant, subscription, 1, NOW.plusSeconds(60)).get(0);
        fixture.update(
                "update deliveries set reservation_id = gen_random_uuid(), reserved_by = 'n', send_by = now(),"
                        + " lease_until = now() + interval '1 hour' where id = ?",
                flying);
        narrow("{}");

        assertThat(sweep(NOW)).isZero();
        assertThat(sweep(NOW)).as("somebody has looked just now").isZero();
        Instant later = NOW.plus(RevokedConsent.WATCHED).plusSeconds(1);
        assertThat(sweep(later)).isZero();
        assertThat(watched()).as("it is still under way").isTrue();
        fixture.update(
                "update deliveries set reservation_id = null, reserved_by = null, send_by = null, lease_until = null where id = ?",
                flying);
        assertThat(sweep(later.plusSeconds(61))).isEqualTo(1);
        assertThat(fixture.delivery(flying, "state || ' ' || last_code")).isEqualTo("failed ACCESS_ABSENT");
        assertThat(watched()).isFalse();
    }

    @Test
    @Tag("SB-5")
    void what_is_still_allowed_stays_and_is_watched_for_a_while() {
        List<Long> waiting = fixture.deliveries(tenant, subscription, 3, NOW.plus(Duration.ofHours(6)));
        narrow("{order.order.*}");

        assertThat(sweep(NOW)).isZero();
        assertThat(watched()).isTrue();
        assertThat(sweep(NOW.plus(RevokedConsent.WATCHED).plusSeconds(1))).isZero();

        assertThat(watched()).isFalse();
        assertThat(waiting)
                .allSatisfy(id -> assertThat(fixture.delivery(id, "state")).isEqualTo("pending"));
    }

    /** Others wait for the thread of the beat. */
    @Test
    @Tag("SB-5")
    void a_beat_looks_at_a_part_of_a_long_backlog_and_the_next_one_goes_on_there() {
        long first =
                fixture.deliveries(tenant, subscription, 1, NOW.plusSeconds(60)).get(0);
        fixture.update("""
                insert into deliveries (id, tenant_id, app_id, epoch, subscription_id, event_ordinal, event_recorded_at, event_id,
                  message_id, mode, state, url, protocol, cycle_started_at, next_attempt_at, created_at, updated_at)
                select nextval('ordinals'), tenant_id, app_id, epoch, subscription_id, -n, event_recorded_at, 'evt_' || -n,
                  'msg_' || -n, mode, state, url, protocol, cycle_started_at, next_attempt_at, created_at, updated_at
                  from deliveries, generate_series(1, 10100) n where id = ?""", first);
        long last = fixture.deliveries(tenant, subscription, 1, NOW.plusSeconds(120))
                .get(0);
        narrow("{customer.*}");
        RevokedConsent consent =
                new RevokedConsent(new Narrowings(), new Endings(), Clock.fixed(NOW.plusSeconds(1), ZoneOffset.UTC));

        assertThat(consent.sweep()).as("the first").isEqualTo(1);
        assertThat(fixture.delivery(last, "state")).isEqualTo("pending");
        assertThat(consent.sweep()).isEqualTo(1);
        assertThat(fixture.delivery(last, "state || ' ' || last_code")).isEqualTo("failed ACCESS_ABSENT");
        assertThat(consent.sweep()).as("all was looked at just now").isZero();
    }
}
