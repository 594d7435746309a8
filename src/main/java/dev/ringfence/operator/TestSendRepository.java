package dev.ringfence.operator;

import dev.ringfence.config.DataSources;
import dev.ringfence.delivery.DeliveryStorageException;
import dev.ringfence.lifecycle.TenantLifecycle;
import dev.ringfence.outbox.DedupeKey;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.UUID;

/** Queues test sends, in the caller's transaction. */
@ApplicationScoped
class TestSendRepository {

    /** No event was recorded, so the delivery carries its own bytes, and its own number in the event's place. */
    private static final String INSERT = """
            insert into deliveries (id, tenant_id, app_id, epoch, subscription_id, event_ordinal, event_recorded_at, event_id, message_id,
              mode, state, url, headers, body_bytes, body_sha256, protocol, cycle_started_at, next_attempt_at, created_at, updated_at, test)
            select n.id, ?, ?, ?, s.id, n.id, n.at, ?, ?, s.mode, 'pending', s.url, s.headers, ?, ?, 1, n.at, n.at, n.at, n.at, true
              from subscriptions s, (select ?::bigint as id, ?::timestamptz as at) n
             where s.id = ?
            """;

    private final DataSources sources;

    @Inject
    TestSendRepository(DataSources sources) {
        this.sources = sources;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    TestSendRepository() {
        this(null);
    }

    /** Queues the body; false where the subscription is gone. */
    boolean insert(
            long id,
            TenantLifecycle tenant,
            UUID subscription,
            String eventId,
            String messageId,
            byte[] body,
            Instant now) {
        OffsetDateTime at = now.atOffset(ZoneOffset.UTC);
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(INSERT)) {
            Object[] values = {
                tenant.tenantId(),
                tenant.appId(),
                tenant.epoch(),
                eventId,
                messageId,
                body,
                DedupeKey.sha256(body),
                id,
                at,
                subscription
            };
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            return statement.executeUpdate() == 1;
        } catch (SQLException e) {
            throw new DeliveryStorageException("queue a test send", e);
        }
    }
}
