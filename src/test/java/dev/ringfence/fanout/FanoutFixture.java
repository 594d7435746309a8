package dev.ringfence.fanout;

import dev.ringfence.config.DataSources;
import dev.ringfence.config.Settings;
import dev.ringfence.fence.FenceKey;
import dev.ringfence.harness.LocalTransactions;
import dev.ringfence.harness.TestDatabase;
import dev.ringfence.lifecycle.LifecycleRepository;
import dev.ringfence.ordering.MovedKeys;
import dev.ringfence.outbox.EventAt;
import dev.ringfence.outbox.OrdinalsRepository;
import dev.ringfence.subscription.RecipientRepository;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Publishers on a real database, without a container, and the rows that they work on. */
final class FanoutFixture implements AutoCloseable {

    /** A tenant and its current epoch. */
    record Tenant(UUID app, long id, FenceKey fence, UUID epoch) {}

    final TestDatabase database = TestDatabase.migrated();
    final SettableClock clock = new SettableClock();
    final ReadyHints hints = new ReadyHints();
    final FanoutCounters counters = new FanoutCounters();
    final LocalTransactions transactions = new LocalTransactions(database.dataSource());
    /** What moved in an order. */
    final MovedKeys moved = new MovedKeys();

    final Claims claims;
    final Publication publication;

    FanoutFixture() {
        database.execute(
                "select ringfence.ensure_partitions('" + clock.instant() + "'::timestamptz - interval '1 week', 4)");
        Clock ticking = clock;
        claims = new Claims(new ClaimRepository(transactions), settings(Map.of()), ticking) {
            @Override
            public Claim claim() {
                return transactions.inNew(super::claim);
            }

            @Override
            public Claim claim(List<EventAt> events) {
                return transactions.inNew(() -> super.claim(events));
            }
        };
        publication =
                new Publication(
                        new PublicationRepository(transactions, lifecycles()),
                        new RecipientRepository(transactions),
                        new NewDeliveriesRepository(transactions, new OrdinalsRepository(transactions)),
                        moved,
                        ticking) {
                    @Override
                    public FanoutPlan publish(String holder, List<ClaimedEvent> events) {
                        return transactions.inNew(() -> super.publish(holder, events));
                    }

                    @Override
                    public FanoutPlan giveUp(String holder, ClaimedEvent event) {
                        return transactions.inNew(() -> super.giveUp(holder, event));
                    }
                };
    }

    /** A publisher; several of them stand for several nodes. */
    Fanout publisher() {
        return new Fanout(claims, publication, new FanoutJournal(counters, clock), hints, settings(Map.of()), clock);
    }

    Tenant tenant(String name) {
        UUID app = UUID.randomUUID();
        UUID epoch = UUID.randomUUID();
        FenceKey fence = FenceKey.of(app, name);
        long id;
        try (Connection connection = database.connect()) {
            run(
                    connection,
                    "insert into apps values (?, 'shop', true, 0, null, null, ?::timestamptz, ?::timestamptz)",
                    app,
                    now(),
                    now());
            run(
                    connection,
                    "insert into tenant_lifecycle (app_id, tenant_hash, tenant, fence_key, epoch, phase, created_at, updated_at)"
                            + " values (?, ?, ?, ?, ?, 'ACTIVE', ?::timestamptz, ?::timestamptz)",
                    app,
                    FenceKey.hash(app, name),
                    name,
                    fence.value(),
                    epoch,
                    now(),
                    now());
            id = database.number("select tenant_id from tenant_lifecycle where app_id = '" + app + "'");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return new Tenant(app, id, fence, epoch);
    }

    /** An active push subscription; {@code more} overrides columns with SQL literals. */
    UUID subscription(Tenant tenant, Map<String, String> more) {
        UUID id = UUID.randomUUID();
        Map<String, String> row = new HashMap<>(Map.of(
                "mode",
                "'PUSH'",
                "url",
                "'https://hooks.example.test/in'",
                "signing",
                "'[]'",
                "ack",
                "'STATUS'",
                "semantics",
                "'AT_LEAST_ONCE'",
                "retry_waits",
                "'{60}'",
                "status",
                "'ACTIVE'",
                "grants",
                "'{*}'",
                "headers",
                "'{\"X-Shop\": \"1\"}'",
                "name",
                "'orders'"));
        row.putAll(Map.of(
                "retry_jitter",
                "0",
                "retry_attempts",
                "2",
                "in_flight",
                "10",
                "timeout_ms",
                "2000",
                "dead_threshold",
                "10",
                "updated_at",
                "'" + now() + "'",
                "created_at",
                "'" + now() + "'"));
        row.putAll(more);
        database.execute("insert into subscriptions (id, app_id, tenant_id, " + String.join(", ", row.keySet())
                + ") values ('" + id + "', '" + tenant.app() + "', " + tenant.id() + ", "
                + String.join(", ", row.values()) + ")");
        return id;
    }

    /** Records events as recording leaves them; ids are {@code evt_<ordinal>}. */
    void record(Tenant tenant, int count, String name, String payload) {
        String body = "{\"eventName\":\"" + name + "\",\"payload\":" + payload + "}";
        try (Connection connection = database.connect()) {
            run(
                    connection,
                    """
                    insert into outbox_events (ordinal, tenant_id, app_id, epoch, request_started_at, event_id, event_name,
                      event_version, occurred_at, recorded_at, producer, aggregate_type, aggregate_id, actor, correlation_id,
                      causation_id, payload, metadata, payload_bytes, payload_sha256, status, available_at, created_at, updated_at)
                    select o, ?, ?, ?, at, 'evt_' || o, ?, 1, at, at, 'order', 'order', 'o-1', '{}', 'cor', 'cau', '{}', '{}', b,
                      sha256(b), 'PENDING', at, at, at
                    from (select nextval('ordinals') o from generate_series(1, ?)) n,
                      (select ?::timestamptz at, ?::bytea b) v
                    """,
                    tenant.id(),
                    tenant.app(),
                    tenant.epoch(),
                    name,
                    count,
                    now(),
                    body.getBytes(StandardCharsets.UTF_8));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Records events of an ordering key, as recording leaves them; returns the number of the last. */
    long recordKeyed(Tenant tenant, int count, String key) {
        database.execute("insert into ordering_keys values (" + tenant.id() + ", '" + key + "', " + count
                + ") on conflict"
                + " (tenant_id, ordering_key) do update set last_sequence = ordering_keys.last_sequence + " + count);
        long last = database.number("select last_sequence from ordering_keys where tenant_id = " + tenant.id()
                + " and ordering_key = '" + key + "'");
        for (long sequence = last - count + 1; sequence <= last; sequence++) {
            database.execute("""
                    insert into outbox_events (ordinal, tenant_id, app_id, epoch, request_started_at, event_id, event_name,
                      event_version, occurred_at, recorded_at, producer, aggregate_type, aggregate_id, actor, correlation_id,
                      causation_id, payload, metadata, payload_bytes, payload_sha256, status, available_at, created_at, updated_at,
                      ordering_key, order_sequence)
                    select o, %d, '%s', '%s', at, 'evt_' || o, 'order.order.placed.v1', 1, at, at, 'order', 'order', 'o-1', '{}', 'cor', 'cau',
                      '{}', '{}', b, sha256(b), 'PENDING', at, at, at, '%s', %d
                    from nextval('ordinals') o, (select '%s'::timestamptz at, '{}'::bytea b) v
                    """.formatted(tenant.id(), tenant.app(), tenant.epoch(), key, sequence, now()));
        }
        return last;
    }

    long count(String table, String condition) {
        return database.number("select count(*) from ringfence." + table + " where " + condition);
    }

    static void run(Connection connection, String sql, Object... values) throws SQLException {
        try (var statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            statement.execute();
        }
    }

    private String now() {
        return clock.instant().toString();
    }

    private static Settings settings(Map<String, String> more) {
        Map<String, String> values = new HashMap<>(more);
        values.put("ringfence.secrets.key", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
        values.put("ringfence.node", "test");
        return Settings.from(values);
    }

    private LifecycleRepository lifecycles() {
        try {
            LifecycleRepository repository = new LifecycleRepository();
            var field = LifecycleRepository.class.getDeclaredField("dataSources");
            field.setAccessible(true);
            field.set(repository, (DataSources) transactions);
            return repository;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        database.close();
    }
}
