package dev.ringfence.redaction;

import dev.ringfence.delivery.DeliveryFixture;
import dev.ringfence.fence.FenceKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Redactions as rows, and the fencing statement as the runner gives it, on sessions of the test's own. */
public final class RedactionFixture implements AutoCloseable {
    public final DeliveryFixture rows = new DeliveryFixture();

    /** An enrolled tenant whose hash and fence are what the application would compute. */
    long tenant(String name) {
        rows.update(
                "insert into tenant_lifecycle (app_id, tenant_hash, tenant, fence_key, epoch, phase, enrolled_at, enable_generation,"
                        + " configuration_revision, published_theme_id, theme_checked_at, created_at, updated_at)"
                        + " values (?, ?, ?, ?, ?, 'ACTIVE', now(), 3, 5, 'theme-1', now(), now(), now())",
                rows.app,
                FenceKey.hash(rows.app, name),
                name,
                FenceKey.of(rows.app, name).value(),
                rows.epoch);
        return rows.database.number("select max(tenant_id) from tenant_lifecycle");
    }

    /** A redaction of the tenant with its stages, as the request leaves it. */
    public UUID request(String tenant) {
        UUID id = UUID.randomUUID();
        rows.update(
                "insert into redactions (id, app_id, tenant_hash, tenant, remote_erasure, status, requested_at, updated_at, next_at)"
                        + " values (?, ?, ?, ?, false, 'RUNNING', now(), now(), now())",
                id,
                rows.app,
                FenceKey.hash(rows.app, tenant),
                tenant);
        rows.update(
                "insert into redaction_stages (redaction_id, stage, position, status, updated_at) select ?, s.stage, s.position,"
                        + " 'PENDING', now() from unnest(array['CANCEL', 'FENCE', 'DRAIN', 'ERASE', 'REMOTE_ERASE', 'VERIFY'])"
                        + " with ordinality as s (stage, position)",
                id);
        return id;
    }

    /** Fences the tenant on a session that holds its fence alone; the moment to wait for, or null. */
    public @Nullable OffsetDateTime fence(UUID redaction, String tenant) throws SQLException {
        try (Connection session = rows.database.connect()) {
            try (var lock = session.prepareStatement("select pg_advisory_lock(?)")) {
                lock.setLong(1, FenceKey.of(rows.app, tenant).value());
                lock.execute();
            }
            return redact(session, redaction);
        }
    }

    @Nullable
    OffsetDateTime redact(Connection session, UUID redaction) throws SQLException {
        try (var statement = session.prepareStatement("select redact_tenant(?, ?, interval '1 second')")) {
            statement.setObject(1, redaction);
            statement.setObject(2, UUID.randomUUID());
            try (var answer = statement.executeQuery()) {
                answer.next();
                return answer.getObject(1, OffsetDateTime.class);
            }
        }
    }

    /** Gives a delivery an attempt in that state; an open one may send for another so many seconds. */
    UUID attempt(long delivery, String state, int sendSeconds) {
        UUID reservation = UUID.randomUUID();
        rows.update(
                "insert into delivery_attempts (delivery_id, delivery_created_at, number, cycle, tenant_id, reservation_id, state, node,"
                        + " started_at, send_by) select id, created_at, attempts + 1, cycle, tenant_id, ?, 'SENDING', 'node', now(),"
                        + " now() + ? * interval '1 second' from deliveries where id = ?",
                reservation,
                sendSeconds,
                delivery);
        if (state.equals("SENDING")) {
            rows.update(
                    "update deliveries set attempts = attempts + 1, cycle_attempts = cycle_attempts + 1, reservation_id = ?,"
                            + " send_by = now() + ? * interval '1 second', lease_until = now() + interval '1 minute' where id = ?",
                    reservation,
                    sendSeconds,
                    delivery);
        } else {
            rows.update(
                    "update deliveries set attempts = attempts + 1, cycle_attempts = cycle_attempts + 1 where id = ?",
                    delivery);
            rows.update(
                    "update delivery_attempts set state = ?, finished_at = now() where reservation_id = ?",
                    state,
                    reservation);
        }
        return reservation;
    }

    /** Erases everything of one kind in chunks of so many; how many calls it took. */
    int erase(long tenant, String kind, int most) {
        int calls = 1;
        while (!rows.text("select erase_tenant(?, ?, ?)", tenant, kind, most).equals("0")) {
            calls++;
        }
        return calls;
    }

    @Override
    public void close() {
        rows.close();
    }
}
