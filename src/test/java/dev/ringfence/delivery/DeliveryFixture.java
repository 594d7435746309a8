package dev.ringfence.delivery;

import dev.ringfence.harness.LocalTransactions;
import dev.ringfence.harness.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Rows as enrolment, recording and fan-out leave them, made by SQL, in a migrated database of their own. */
public final class DeliveryFixture implements AutoCloseable {
    public final TestDatabase database = TestDatabase.migrated();
    public final LocalTransactions transactions = new LocalTransactions(database.dataSource());
    public final UUID app = UUID.randomUUID();
    public final UUID epoch = UUID.randomUUID();

    public DeliveryFixture() {
        database.execute("select ringfence.ensure_partitions(now() - interval '7 days', 4)");
        update("insert into apps (id, name, created_at, updated_at) values (?, 'shop', now(), now())", app);
    }

    /** An enrolled tenant; returns its narrow key. */
    public long tenant(String name) {
        update(
                "insert into tenant_lifecycle (app_id, tenant_hash, tenant, fence_key, epoch, phase, enrolled_at, created_at, updated_at)"
                        + " values (?, sha256(?::bytea), ?, hashtextextended(?, 7), ?, 'ACTIVE', now(), now(), now())",
                app,
                name.getBytes(StandardCharsets.UTF_8),
                name,
                name,
                epoch);
        return database.number("select max(tenant_id) from ringfence.tenant_lifecycle");
    }

    /** An active push subscription that nobody listens to. */
    public UUID subscription(long tenant, String semantics, int attempts) {
        return subscription(tenant, semantics, attempts, "http://127.0.0.1:9/hook", 100);
    }

    /** An active push subscription with waits of 60 s and more. */
    public UUID subscription(long tenant, String semantics, int attempts, String url, int inFlight) {
        UUID id = UUID.randomUUID();
        update(
                "insert into subscriptions (id, app_id, tenant_id, name, mode, url, signing, ack, semantics, retry_waits, retry_jitter,"
                        + " retry_attempts, in_flight, timeout_ms, dead_threshold, status, grants, created_at, updated_at)"
                        + " values (?, ?, ?, 'hook', 'PUSH', ?, '[]'::jsonb, 'STATUS', ?, '{60,300}', 0, ?, ?, 10000, 10,"
                        + " 'ACTIVE', '{*}', now(), now())",
                id,
                app,
                tenant,
                url,
                semantics,
                attempts,
                inFlight);
        return id;
    }

    /** Deliveries of as many events, due since {@code due}; returns their ids ascending. Fan-out leaves these events alone. */
    public List<Long> deliveries(long tenant, UUID subscription, int count, Instant due) {
        List<Long> ids = new ArrayList<>();
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            for (int i = 0; i < count; i++) {
                ids.add(delivery(connection, tenant, subscription, due));
            }
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return ids;
    }

    private long delivery(Connection connection, long tenant, UUID subscription, Instant due) throws SQLException {
        String event =
                "insert into outbox_events (ordinal, tenant_id, app_id, epoch, request_started_at, event_id, event_name, event_version,"
                        + " occurred_at, recorded_at, producer, aggregate_type, aggregate_id, actor, correlation_id, causation_id, payload, metadata,"
                        + " payload_bytes, payload_sha256, status, available_at, created_at, updated_at)"
                        + " select o, ?, ?, ?, now(), 'evt_' || o, 'order.order.placed.v1', 1, now(), ?, 'order', 'order', 'o-1', '{}'::jsonb, 'cor_1',"
                        + " 'req_1', '{}'::jsonb, '{}'::jsonb, b, sha256(b), 'PENDING', now() + interval '1 day', now(), now()"
                        + " from nextval('ordinals') o, lateral (select convert_to('{\"n\":' || o || '}', 'UTF8') as b) x returning ordinal";
        long ordinal;
        try (PreparedStatement statement = connection.prepareStatement(event)) {
            bind(statement, tenant, app, epoch, due.atOffset(ZoneOffset.UTC));
            ordinal = first(statement);
        }
        String delivery =
                "insert into deliveries (id, tenant_id, app_id, epoch, subscription_id, event_ordinal, event_recorded_at, event_id, message_id,"
                        + " mode, state, url, protocol, cycle_started_at, next_attempt_at, created_at, updated_at)"
                        + " values (nextval('ordinals'), ?, ?, ?, ?, ?, ?, 'evt_' || ?, 'msg_' || ?, 'PUSH', 'pending', (select url from subscriptions where id = ?), 1, ?, ?, ?, ?)"
                        + " returning id";
        try (PreparedStatement statement = connection.prepareStatement(delivery)) {
            var at = due.atOffset(ZoneOffset.UTC);
            bind(
                    statement,
                    tenant,
                    app,
                    epoch,
                    subscription,
                    ordinal,
                    at,
                    ordinal,
                    ordinal,
                    subscription,
                    at,
                    at,
                    at,
                    at);
            return first(statement);
        }
    }

    /** One column of one delivery as text, read in a session of its own. */
    public String delivery(long id, String column) {
        return text("select (" + column + ")::text from deliveries where id = ?", id);
    }

    /** The ledger of one delivery: number, state and code of each attempt. */
    public String ledger(long id) {
        return text(
                "select string_agg(number || ':' || state || coalesce('/' || code, ''), ' ' order by number)"
                        + " from delivery_attempts where delivery_id = ?",
                id);
    }

    public String text(String sql, Object... values) {
        try (Connection connection = database.connect();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, values);
            try (var rows = statement.executeQuery()) {
                return rows.next() ? rows.getString(1) : null;
            }
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    public int update(String sql, Object... values) {
        try (Connection connection = database.connect();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, values);
            return statement.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    private static void bind(PreparedStatement statement, Object... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
    }

    private static long first(PreparedStatement statement) throws SQLException {
        try (var rows = statement.executeQuery()) {
            rows.next();
            return rows.getLong(1);
        }
    }

    @Override
    public void close() {
        database.close();
    }
}
