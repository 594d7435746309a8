package peers;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Rows made by set-based SQL as recording, fan-out and delivery leave them: through the product's parent tables, with their keys, one
 * event a delivery. The session is the superuser's with session_replication_role = replica, so row triggers do not run, and nothing is
 * checked but constraints. Events of deliveries that wait are PUBLISHED.
 */
final class Seed implements AutoCloseable {
    private static final String TABLE = "bench_seed";
    private final Connection c;
    private String at = "now()";

    Seed(Options o) throws SQLException {
        c = DriverManager.getConnection(o.jdbc());
        try (Statement s = c.createStatement()) {
            s.execute("set session_replication_role = replica");
            s.execute("set synchronous_commit = off");
            s.execute("set work_mem = '64MB'");
        }
    }

    /** The time, an SQL expression, that the next rows are of; at first now. Makes the weeks that are missing since then. */
    void at(String time) throws SQLException {
        at = time;
        try (Statement s = c.createStatement()) {
            s.execute("select ringfence.ensure_partitions(" + time + ", 52)");
        }
    }

    /**
     * Waiting deliveries, spread evenly over the subscriptions that the condition (on s) names; due is an SQL expression of each one's
     * next attempt; bodies of so many bytes carry benchId first, first + 1, ….
     */
    void waiting(String subscriptions, int first, int n, int bytes, String due) throws SQLException {
        rows(subscriptions, first, n, bytes, "PUBLISHED");
        run("insert into ringfence.deliveries (id, tenant_id, app_id, epoch, subscription_id, event_ordinal, event_recorded_at, event_id,"
                + " message_id, mode, state, url, protocol, cycle_started_at, next_attempt_at, created_at, updated_at, event_name, octets)"
                + " select delivery, tenant_id, app_id, epoch, subscription, ordinal, at, event_id, 'msg_' || ordinal, 'PUSH', 'pending', url,"
                + " 1, at, " + due + ", at, at, name, " + bytes + " from " + TABLE, n);
        run("drop table " + TABLE, -1);
    }

    /** Finished deliveries, each with an acknowledged attempt. */
    void finished(String subscriptions, int first, int n, int bytes) throws SQLException {
        rows(subscriptions, first, n, bytes, "PUBLISHED");
        run("insert into ringfence.deliveries (id, tenant_id, app_id, epoch, subscription_id, event_ordinal, event_recorded_at, event_id,"
                + " message_id, mode, state, url, protocol, cycle_started_at, cycle_attempts, attempts, created_at, updated_at, finished_at,"
                + " accepted_at, last_status)"
                + " select delivery, tenant_id, app_id, epoch, subscription, ordinal, at, event_id, 'msg_' || ordinal, 'PUSH', 'delivered', url,"
                + " 1, at, 1, 1, at, at, at, at, 200 from " + TABLE, n);
        run("insert into ringfence.delivery_attempts (delivery_id, delivery_created_at, number, cycle, tenant_id, reservation_id, state, node,"
                + " started_at, send_by, finished_at, http_status)"
                + " select delivery, at, 1, 1, tenant_id, gen_random_uuid(), 'ACKNOWLEDGED', 'bench-seed', at, at, at, 200 from " + TABLE, n);
        run("drop table " + TABLE, -1);
    }

    private void rows(String subscriptions, int first, int n, int bytes, String status) throws SQLException {
        run("create unlogged table " + TABLE + " as select nextval('ringfence.ordinals') as ordinal, nextval('ringfence.ordinals') as delivery,"
                + " t.tenant_id, t.app_id, t.epoch, s.id as subscription, s.url, s.event_types[1] as name, " + at + " as at, null::text as event_id, i"
                + " from (select row_number() over (order by s.id) - 1 as k, count(*) over () as of, s.* from ringfence.subscriptions s where "
                + subscriptions + ") s join ringfence.tenant_lifecycle t on t.tenant_id = s.tenant_id,"
                + " lateral generate_series(" + first + " + s.k, " + (first + n - 1L) + ", s.of) as i", n);
        run("update " + TABLE + " set event_id = 'evt_' || ordinal", n);
        run("insert into ringfence.outbox_events (ordinal, tenant_id, app_id, epoch, request_started_at, event_id, event_name, event_version,"
                + " occurred_at, recorded_at, producer, aggregate_type, aggregate_id, actor, correlation_id, causation_id, payload, metadata,"
                + " payload_bytes, payload_sha256, status, available_at, created_at, updated_at, published_at)"
                + " select ordinal, tenant_id, app_id, epoch, at, event_id, name, 1, at, at, 'bench', 'hook', 'h', '{}', 'cor_1',"
                + " 'req_1', '{}', '{}', b, sha256(b), '" + status + "', at, at, at, at from " + TABLE + ","
                + " lateral (select convert_to(rpad('{\"benchId\":' || i || ',\"data\":\"', " + (bytes - 2)
                + ", '0123456789abcdef') || '\"}', 'UTF8') as b) as body", n);
        run("insert into ringfence.event_keys (event_id, tenant_id, epoch, content_sha256, ordinal, recorded_at)"
                + " select event_id, tenant_id, epoch, '\\x00', ordinal, at from " + TABLE, n);
        run("insert into ringfence.delivery_keys (event_ordinal, subscription_id, delivery_id, created_at)"
                + " select ordinal, subscription, delivery, at from " + TABLE, n);
    }

    private void run(String sql, long expected) throws SQLException {
        try (PreparedStatement s = c.prepareStatement(sql)) {
            long made = s.executeLargeUpdate();
            if (expected >= 0 && made != expected) throw new SQLException(made + " rows, expected " + expected + ": " + sql);
        }
    }

    @Override
    public void close() throws SQLException {
        c.close();
    }
}
