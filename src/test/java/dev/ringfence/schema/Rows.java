package dev.ringfence.schema;

import dev.ringfence.harness.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;

/** Rows as the application would write them, with as few words as possible. */
final class Rows {
    private final TestDatabase database;

    Rows(TestDatabase database) {
        this.database = database;
    }

    /** An app with one ACTIVE tenant, whose boundary, generation and revision are not at their first values. */
    void enrol(UUID app) {
        database.execute("""
                insert into ringfence.apps (id, name, created_at, updated_at)
                values ('%1$s', 'shop', clock_timestamp(), clock_timestamp());
                insert into ringfence.tenant_lifecycle (app_id, tenant_hash, tenant, fence_key, epoch, phase,
                    last_redacted_at, enable_generation, configuration_revision, created_at, updated_at)
                values ('%1$s', sha256('tenant'), 'tenant', 7, gen_random_uuid(), 'ACTIVE',
                    '2026-06-01T00:00:00Z', 3, 5, clock_timestamp(), clock_timestamp())""".formatted(app));
    }

    /** One event in status PENDING, recorded now. */
    long event() throws SQLException {
        return one("""
                insert into ringfence.outbox_events (ordinal, tenant_id, app_id, epoch, request_started_at, event_id,
                    event_name, event_version, occurred_at, recorded_at, producer, aggregate_type, aggregate_id, actor,
                    correlation_id, causation_id, payload, metadata, payload_bytes, payload_sha256, status, available_at,
                    created_at, updated_at)
                select n, 1, gen_random_uuid(), gen_random_uuid(), at, 'evt_' || n, 'shop.order.placed.v1', 1, at, at,
                    'shop', 'order', 'o-1', '{}', 'cor_1', 'req_1', '{}', '{}', '{}', sha256('{}'), 'PENDING', at, at, at
                  from (select nextval('ringfence.ordinals') as n, clock_timestamp() as at) as fresh
                returning ordinal""");
    }

    /** One delivery in state {@code state}, which must be one that a delivery may begin with. */
    long delivery(String state) throws SQLException {
        return one("""
                insert into ringfence.deliveries (id, tenant_id, app_id, epoch, subscription_id, event_ordinal,
                    event_recorded_at, event_id, message_id, mode, state, url, protocol, cycle_started_at, next_attempt_at,
                    created_at, updated_at)
                select n, 1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), n, at, 'evt_' || n, 'msg_' || n,
                    'PUSH', '%s', 'https://shop.example/h', 1, at, at, at, at
                  from (select nextval('ringfence.ordinals') as n, clock_timestamp() as at) as fresh
                returning id""".formatted(state));
    }

    /** One delivery that legal moves brought to {@code state}. */
    long deliveryMovedTo(String state) throws SQLException {
        long id = delivery(state.equals("skipped_filter") ? state : "pending");
        if (!state.equals("pending") && !state.equals("skipped_filter")) {
            database.execute("update ringfence.deliveries set state = '" + state + "'"
                    + (state.equals("delivered") ? ", attempts = 1, cycle_attempts = 1" : "") + " where id = " + id);
        }
        return id;
    }

    /** Attempt 1 of a delivery that needs no row, SENDING; the delivery's id. */
    long attempt() throws SQLException {
        return one("""
                insert into ringfence.delivery_attempts (delivery_id, delivery_created_at, number, cycle, tenant_id,
                    reservation_id, state, node, started_at, send_by)
                select nextval('ringfence.ordinals'), at, 1, 1, 1, gen_random_uuid(), 'SENDING', 'node-a', at, at
                  from (select clock_timestamp() as at) as fresh
                returning delivery_id""");
    }

    private long one(String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
