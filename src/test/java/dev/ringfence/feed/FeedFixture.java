package dev.ringfence.feed;

import dev.ringfence.config.DataSources;
import dev.ringfence.config.Settings;
import dev.ringfence.delivery.DeliveryFixture;
import dev.ringfence.lifecycle.ActiveTenants;
import dev.ringfence.lifecycle.LifecycleRepository;
import dev.ringfence.subscription.SubscriptionRepository;
import dev.ringfence.time.NanoClock;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A feed on a real database, without a server: its reader, and whoever puts something into it in a transaction of the test's own. */
final class FeedFixture implements AutoCloseable {
    static final Settings SETTINGS = Settings.from(Map.of(
            "ringfence.secrets.key", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
            "ringfence.node", "test",
            "ringfence.fence.timeout-ms", "10000"));

    final DeliveryFixture rows = new DeliveryFixture();
    final FeedRepository repository = new FeedRepository(rows.transactions);
    final long tenant = rows.tenant("shop-1");
    final UUID subscription = subscription(tenant);
    final Feeds feeds;
    private final Advances advances;

    FeedFixture() {
        LifecycleRepository lifecycles = lifecycles(rows.transactions);
        ActiveTenants tenants = new ActiveTenants(lifecycles, SETTINGS);
        feeds = new Feeds(
                repository, new SubscriptionRepository(rows.transactions), tenants, Clock.systemUTC(), new NanoClock());
        advances = new Advances(feeds, repository, tenants, Clock.systemUTC());
    }

    /** An active PULL subscription. */
    UUID subscription(long owner) {
        UUID id = UUID.randomUUID();
        rows.update(
                "insert into subscriptions (id, app_id, tenant_id, name, mode, signing, ack, semantics, retry_waits, retry_jitter,"
                        + " retry_attempts, in_flight, timeout_ms, dead_threshold, status, grants, created_at, updated_at)"
                        + " values (?, ?, ?, 'reader', 'PULL', '[]'::jsonb, 'STATUS', 'AT_LEAST_ONCE', '{60}', 0, 2, 10, 2000, 10,"
                        + " 'ACTIVE', '{*}', now(), now())",
                id,
                rows.app,
                owner);
        return id;
    }

    /** A session in a transaction that has not begun yet. */
    Connection open() throws SQLException {
        Connection connection = rows.database.connect();
        connection.setAutoCommit(false);
        return connection;
    }

    /** Puts one event into the feed, in that transaction; the delivery's id. */
    long put(Connection transaction) throws SQLException {
        return put(transaction, subscription, null);
    }

    /** As {@link #put(Connection)}, into that feed and with an id that was taken before. */
    long put(Connection transaction, UUID feed, @Nullable Long id) throws SQLException {
        try (var statement = transaction.prepareStatement("""
                with event as (
                  insert into outbox_events (ordinal, tenant_id, app_id, epoch, request_started_at, event_id, event_name, event_version,
                    occurred_at, recorded_at, producer, aggregate_type, aggregate_id, actor, correlation_id, causation_id, payload,
                    metadata, payload_bytes, payload_sha256, status, available_at, created_at, updated_at)
                  select o, ?, ?, ?, now(), 'evt_' || o, 'order.order.placed.v1', 1, now(), now(), 'order', 'order', 'o-1', '{}'::jsonb,
                    'cor_1', 'req_1', '{}'::jsonb, '{}'::jsonb, b, sha256(b), 'PENDING', now() + interval '1 day', now(), now()
                    from nextval('ordinals') o, lateral (select convert_to('{"n": ' || o || '}', 'UTF8') as b) x
                  returning ordinal, recorded_at)
                insert into deliveries (id, tenant_id, app_id, epoch, subscription_id, event_ordinal, event_recorded_at, event_id,
                  message_id, mode, state, protocol, cycle_started_at, next_attempt_at, created_at, updated_at)
                select coalesce(?, nextval('ordinals')), ?, ?, ?, ?, e.ordinal, e.recorded_at, 'evt_' || e.ordinal, 'msg_' || e.ordinal,
                  'PULL', 'pending', 1, now(), now(), now(), now() from event e
                returning id""")) {
            Object[] values = {tenant, rows.app, rows.epoch, id, tenant, rows.app, rows.epoch, feed};
            for (int i = 0; i < values.length; i++) {
                if (values[i] == null) {
                    statement.setNull(i + 1, java.sql.Types.BIGINT);
                } else {
                    statement.setObject(i + 1, values[i]);
                }
            }
            try (var result = statement.executeQuery()) {
                result.next();
                return result.getLong(1);
            }
        }
    }

    /** Puts one event into the feed, committed. */
    long put() throws SQLException {
        try (Connection transaction = open()) {
            long id = put(transaction);
            transaction.commit();
            return id;
        }
    }

    /** What an operator's retry does to a delivery, in that transaction. */
    static void retry(Connection transaction, long delivery) throws SQLException {
        try (var statement = transaction.createStatement()) {
            statement.execute("update deliveries set state = 'pending', cycle = cycle + 1, cycle_started_at = now(),"
                    + " cycle_attempts = 0, next_attempt_at = now(), finished_at = null where id = " + delivery);
        }
    }

    /** A page behind that cursor; behind the committed one for null. */
    FeedPage read(@Nullable String cursor, int limit) {
        return read(subscription, cursor, limit);
    }

    FeedPage read(UUID feed, @Nullable String cursor, int limit) {
        FeedQuery query = query(feed, cursor, limit);
        return rows.transactions.inNew(() -> feeds.read(query).page());
    }

    /** As {@link #read}, for a request that has waited. */
    FeedPage readWaited(int limit) {
        FeedQuery query = query(null, limit);
        return rows.transactions.inNew(() -> feeds.readWaited(query).page());
    }

    FeedQuery query(@Nullable String cursor, int limit) {
        return query(subscription, cursor, limit);
    }

    private FeedQuery query(UUID feed, @Nullable String cursor, int limit) {
        return new FeedQuery(rows.app, feed, cursor == null ? null : FeedCursor.parse(cursor), limit, Duration.ZERO);
    }

    Advance advance(String from, String to) {
        return rows.transactions.inNew(
                () -> advances.advance(rows.app, subscription, FeedCursor.parse(from), FeedCursor.parse(to)));
    }

    /** Reads a page behind the committed cursor, commits it, and returns the ids of its deliveries. */
    List<Long> fetch() {
        FeedPage page = read(null, 200);
        advance(page.committed(), page.cursor());
        return ids(page);
    }

    static List<Long> ids(FeedPage page) {
        return page.items().stream()
                .map(item -> Long.valueOf(item.deliveryId()))
                .toList();
    }

    private static LifecycleRepository lifecycles(DataSources sources) {
        try {
            LifecycleRepository repository = new LifecycleRepository();
            var field = LifecycleRepository.class.getDeclaredField("dataSources");
            field.setAccessible(true);
            field.set(repository, sources);
            return repository;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        rows.close();
    }
}
