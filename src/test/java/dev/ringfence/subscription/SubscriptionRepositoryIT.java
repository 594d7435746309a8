package dev.ringfence.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringfence.api.TimeCursor;
import dev.ringfence.config.Settings;
import dev.ringfence.harness.LocalTransactions;
import dev.ringfence.harness.TestDatabase;
import dev.ringfence.json.StrictJson;
import dev.ringfence.security.SecretBox;
import dev.ringfence.signing.WebhookSecret;
import dev.ringfence.transport.AckProfile;
import dev.ringfence.transport.OAuthClient;
import dev.ringfence.transport.TlsMaterial;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Subscriptions and their secrets as the database keeps them. */
class SubscriptionRepositoryIT {

    private static final String TEMPLATE = "{\"z\":1.50,\"a\":\"{{payload.total}}\",\"m\":null}";

    private static final TestDatabase DATABASE = TestDatabase.migrated();
    private static final Instant NOW = Instant.parse("2026-03-01T10:00:00.123456Z");
    private static final String ANY = "order.order.placed.v1";

    private final LocalTransactions transactions = new LocalTransactions(DATABASE.dataSource());
    private final SubscriptionRepository subscriptions = new SubscriptionRepository(transactions);
    private final RecipientRepository recipients = new RecipientRepository(transactions);
    private final SubscriptionChangeRepository changes = new SubscriptionChangeRepository(transactions);
    private final UUID app = UUID.randomUUID();

    SubscriptionRepositoryIT() {
        DATABASE.execute(
                "insert into apps (id, name, created_at, updated_at) values ('" + app + "', 'shop', now(), now())");
    }

    @AfterAll
    static void drop() {
        DATABASE.close();
    }

    private Subscription subscription(long tenant, Instant createdAt) {
        String match = "[{\"payload.country\": \"DE\", \"payload.kind\": [1, 2.5, null]}]";
        return new Subscription(
                UUID.randomUUID(),
                app,
                tenant,
                "orders",
                new Destination(
                        Mode.PUSH,
                        "https://hooks.example.test/in",
                        Map.of("X-Shop", "7"),
                        AckProfile.RECEIPT,
                        Duration.ofMillis(1_500),
                        TemplateReader.stored(StrictJson.parse(TEMPLATE.getBytes(StandardCharsets.UTF_8))),
                        AccessTerms.NONE),
                new EventFilter(
                        new EventTypeFilter(List.of("order.*", "a.b.c.v1")),
                        MatchFilter.of(StrictJson.parse(match.getBytes(StandardCharsets.UTF_8)))),
                List.of(new SigningEntry("webhook-id", "webhook"), new SigningEntry("webhook-id", "svix")),
                new DeliveryRules(
                        Semantics.AT_MOST_ONCE,
                        new RetryPolicy(List.of(1, 2), 0.25, 3),
                        List.of(404),
                        4,
                        2.5,
                        new CircuitRules(3, 7, 50),
                        new OrderRules(Ordering.KEY, OnDead.BLOCK),
                        5),
                new Grants(List.of("order.*")),
                SubscriptionStatus.ACTIVE,
                null,
                0,
                CircuitState.CLOSED,
                createdAt,
                Intake.from(17));
    }

    @Test
    @Tag("SB-1")
    void whatIsReadIsWhatWasWritten() {
        Subscription written = subscription(1, NOW);
        changes.insert(written);
        assertThat(subscriptions.find(app, written.id())).contains(written);
        assertThat(subscriptions.find(UUID.randomUUID(), written.id())).isEmpty();
        assertThat(recipients.byIds(List.of(written.id(), UUID.randomUUID()))).isEqualTo(Map.of(written.id(), written));
    }

    @Test
    @Tag("SB-1")
    void onlyActiveOnesOfTheTenantsAskedForAreMatched() {
        Subscription first = subscription(20, NOW);
        Subscription second = subscription(20, NOW.plusSeconds(1));
        Subscription paused = subscription(20, NOW);
        Subscription other = subscription(21, NOW);
        Subscription foreign = subscription(22, NOW);
        List.of(second, first, paused, other, foreign).forEach(changes::insert);
        DATABASE.execute("update subscriptions set status = 'PAUSED' where id = '" + paused.id() + "'");
        assertThat(recipients.takingOf(Set.of(20L, 21L), Set.of(ANY)))
                .isEqualTo(Map.of(20L, List.of(first, second), 21L, List.of(other)));
        assertThat(recipients.takingOf(Set.of(), Set.of(ANY))).isEmpty();
    }

    /** Whoever takes one of the types, however its list says so, and whoever keeps an order. */
    @Test
    @Tag("SB-2")
    void onlyThoseThatTakeOneOfTheTypesAreRead() {
        Map<String, UUID> ids = new LinkedHashMap<>();
        for (String types : List.of(
                "{}",
                "{*}",
                "{order.*}",
                "{order.item.*,x}",
                "{order.item.added.*}",
                "{order.item.added.v1}",
                "{order.item.added.v2}",
                "{orders.*}",
                "{order.item}",
                "{a,b.*}")) {
            Subscription one = subscription(4711, NOW.plusSeconds(ids.size()));
            changes.insert(one);
            DATABASE.execute("update subscriptions set event_types = '" + types + "', ordering = 'NONE' where id = '"
                    + one.id() + "'");
            ids.put(types, one.id());
        }
        Subscription ordered = subscription(4711, NOW.plusSeconds(ids.size()));
        changes.insert(ordered);
        DATABASE.execute(
                "update subscriptions set event_types = '{b.*}', ordering = 'KEY' where id = '" + ordered.id() + "'");
        ids.put("ordered", ordered.id());

        assertThat(recipients
                        .takingOf(Set.of(4711L), Set.of("order.item.added.v1"))
                        .get(4711L))
                .extracting(Subscription::id)
                .containsExactlyElementsOf(ids.entrySet().stream()
                        .filter(entry -> entry.getKey().equals("ordered")
                                || new EventTypeFilter(patterns(entry.getKey())).accepts("order.item.added.v1"))
                        .map(Map.Entry::getValue)
                        .toList())
                .hasSize(7);
        assertThat(recipients
                        .takingOf(Set.of(4711L), Set.of("b.c.d.v1", "orders.x.y.v3"))
                        .get(4711L))
                .extracting(Subscription::id)
                .containsExactly(
                        ids.get("{}"), ids.get("{*}"), ids.get("{orders.*}"), ids.get("{a,b.*}"), ids.get("ordered"));
    }

    private static List<String> patterns(String array) {
        String inner = array.substring(1, array.length() - 1);
        return inner.isEmpty() ? List.of() : List.of(inner.split(","));
    }

    @Test
    @Tag("SB-1")
    void pagesGoOnAfterTheLastEntry() {
        List<Subscription> all =
                List.of(subscription(30, NOW), subscription(30, NOW), subscription(30, NOW.plusSeconds(1)));
        all.forEach(changes::insert);
        List<Subscription> first = subscriptions.page(30, null, 2);
        List<Subscription> second = subscriptions.page(
                30, new TimeCursor(first.get(1).createdAt(), first.get(1).id().toString()), 2);
        assertThat(first).hasSize(2);
        assertThat(second).hasSize(1);
        assertThat(first).doesNotContainAnyElementsOf(second);
        assertThat(second.get(0)).isEqualTo(all.get(2));
    }

    @Test
    @Tag("SB-5")
    void grantsAreReplaced() {
        Subscription written = subscription(40, NOW);
        changes.insert(written);
        assertThat(changes.updateGrants(written.id(), new Grants(List.of()), NOW.plusSeconds(5)))
                .get()
                .extracting(Subscription::grants)
                .isEqualTo(new Grants(List.of()));
        assertThat(changes.updateGrants(UUID.randomUUID(), new Grants(List.of()), NOW))
                .isEmpty();
    }

    @Test
    @Tag("SC-2")
    void secretsAreSealedBoundToTheirRowAndEndWithTheirGrace() {
        AtomicReference<Instant> now = new AtomicReference<>(NOW);
        SubscriptionSecrets secrets = secrets(now, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
        Subscription one = subscription(50, NOW);
        changes.insert(one);
        secrets.store(
                one.id(),
                List.of(WebhookSecret.parse("whsec_AAECAw=="), WebhookSecret.parse("plain-canary")),
                new ReceiverAccess(
                        new BearerToken("token-canary"),
                        new OAuthClient(URI.create("https://a.test/t"), "id-canary", "secret-canary"),
                        new TlsMaterial("ca-canary", null, "key-canary")),
                NOW);

        RequestSecrets opened = secrets.open(List.of(one)).get(one.id());
        assertThat(opened.access())
                .isEqualTo(new ReceiverAccess(
                        new BearerToken("token-canary"),
                        new OAuthClient(URI.create("https://a.test/t"), "id-canary", "secret-canary"),
                        new TlsMaterial("ca-canary", null, "key-canary")));
        assertThat(opened.toString()).doesNotContain("canary");
        List<SigningKeys> keys = opened.signing();
        assertThat(keys).extracting(SigningKeys::prefix).containsExactly("webhook", "svix");
        assertThat(keys.get(0).keys()).containsExactly(new byte[] {0, 1, 2, 3});
        assertThat(keys.get(1).keys()).containsExactly("plain-canary".getBytes(StandardCharsets.UTF_8));

        assertThat(DATABASE.number(
                        "select count(*) from subscription_secrets where position('canary'::bytea in secret) > 0"
                                + " or position('whsec'::bytea in secret) > 0"))
                .isZero();
        SubscriptionSecrets wrongKey = secrets(now, "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
        assertThat(wrongKey.open(List.of(one))).isEmpty();

        DATABASE.execute("update subscription_secrets set expires_at = '" + NOW.plusSeconds(60) + "' where entry = 1");
        now.set(NOW.plusSeconds(60));
        assertThat(secrets.open(List.of(one)).get(one.id()).signing())
                .extracting(SigningKeys::prefix)
                .containsExactly("webhook");

        DATABASE.execute("update subscription_secrets set secret = (select secret from subscription_secrets"
                + " where entry = 1) where entry = 0");
        Subscription other = subscription(51, NOW);
        changes.insert(other);
        secrets.store(other.id(), List.of(WebhookSecret.parse("whsec_AAECAw==")), ReceiverAccess.NONE, NOW);
        assertThat(secrets.open(List.of(one, other))).containsOnlyKeys(other.id());
    }

    @Test
    @Tag("HT-1")
    void thatThereIsATokenIsReadWithoutIt() {
        SubscriptionSecrets secrets =
                secrets(new AtomicReference<>(NOW), "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
        Subscription with = subscription(60, NOW);
        Subscription without = subscription(60, NOW);
        List.of(with, without).forEach(changes::insert);
        secrets.store(with.id(), List.of(), ReceiverAccess.of(new BearerToken("t")), NOW);
        secrets.store(without.id(), List.of(), ReceiverAccess.NONE, NOW);
        assertThat(bearer(subscriptions.find(app, with.id()))).contains(true);
        assertThat(bearer(changes.lock(app, with.id()))).contains(true);
        assertThat(bearer(changes.updateGrants(with.id(), new Grants(List.of()), NOW)))
                .contains(true);
        assertThat(bearer(subscriptions.find(app, without.id()))).contains(false);
        assertThat(secrets.open(List.of(without)).get(without.id())).isEqualTo(RequestSecrets.NONE);
        assertThat(secrets.open(List.of(with)).get(with.id()).signing()).isEmpty();
    }

    private static Optional<Boolean> bearer(Optional<Subscription> read) {
        return read.map(found -> found.destination().access().bearer());
    }

    private SubscriptionSecrets secrets(AtomicReference<Instant> now, String key) {
        Clock clock = new Clock() {
            @Override
            public Instant instant() {
                return now.get();
            }

            @Override
            public java.time.ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(java.time.ZoneId zone) {
                return this;
            }
        };
        Settings settings = Settings.from(Map.of("ringfence.secrets.key", key));
        return new SubscriptionSecrets(new SubscriptionSecretsRepository(transactions), new SecretBox(settings), clock);
    }
}
