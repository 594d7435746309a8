package dev.ringfence.retention;

import dev.ringfence.delivery.DeliveryFixture;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.time.temporal.IsoFields;
import java.util.UUID;

/** Rows of long ago, as recording, fan-out and delivery left them then, in weeks that there were then. */
public final class OldWeeks {
    private static final Instant THIS_MONDAY = Instant.now()
            .atOffset(ZoneOffset.UTC)
            .with(ChronoField.DAY_OF_WEEK, 1)
            .truncatedTo(ChronoUnit.DAYS)
            .toInstant();

    private final DeliveryFixture fixture;
    private final long tenant;
    private final UUID subscription;

    /** Makes the weeks since so many ago. */
    public OldWeeks(DeliveryFixture fixture, int weeksAgo) {
        this.fixture = fixture;
        tenant = fixture.tenant("old-" + UUID.randomUUID());
        subscription = fixture.subscription(tenant, "AT_LEAST_ONCE", 6);
        fixture.text("select ringfence.ensure_partitions(?, ?)::text", utc(monday(weeksAgo)), weeksAgo + 3);
    }

    /** When the week began, so many before this one. */
    public static Instant monday(int weeksAgo) {
        return THIS_MONDAY.minus(Duration.ofDays(7L * weeksAgo));
    }

    /** How long ago it began. */
    public static Duration since(int weeksAgo) {
        return Duration.between(monday(weeksAgo), Instant.now());
    }

    /** The name that its partitions end with. */
    public static String name(int weeksAgo) {
        OffsetDateTime monday = utc(monday(weeksAgo));
        return "%04dw%02d"
                .formatted(monday.get(IsoFields.WEEK_BASED_YEAR), monday.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR));
    }

    /** An event in that state; published, if it is, at the second time. */
    public long event(Instant recordedAt, String status, Instant publishedAt) {
        long ordinal = Long.parseLong(fixture.text(
                "insert into outbox_events (ordinal, tenant_id, app_id, epoch, request_started_at, event_id, event_name, event_version,"
                        + " occurred_at, recorded_at, producer, aggregate_type, aggregate_id, actor, correlation_id, causation_id, payload,"
                        + " metadata, payload_bytes, payload_sha256, status, available_at, created_at, updated_at)"
                        + " select o, ?, ?, ?, a, 'evt_' || o, 'order.order.' || o || '.v1', 1, a, a, 'order', 'order', 'o-1', '{}'::jsonb, 'cor_1',"
                        + " 'req_1', '{}'::jsonb, '{}'::jsonb, '{}', sha256('{}'), 'PENDING', now() + interval '1 day', a, a"
                        + " from nextval('ordinals') o, (select ?::timestamptz as a) x returning ordinal",
                tenant,
                fixture.app,
                fixture.epoch,
                utc(recordedAt)));
        fixture.update(
                "insert into event_keys (event_id, tenant_id, epoch, content_sha256, ordinal, recorded_at)"
                        + " values ('evt_' || ?, ?, ?, sha256('{}'), ?, ?)",
                ordinal,
                tenant,
                fixture.epoch,
                ordinal,
                utc(recordedAt));
        if (!status.equals("PENDING")) {
            fixture.update(
                    "update outbox_events set status = 'CLAIMED', locked_by = 'n', locked_until = now() + interval '1 day'"
                            + " where ordinal = ?",
                    ordinal);
        }
        if (!status.equals("PENDING") && !status.equals("CLAIMED")) {
            fixture.update(
                    "update outbox_events set status = ?, locked_by = null, locked_until = null,"
                            + " published_at = case when ? = 'PUBLISHED' then ?::timestamptz end where ordinal = ?",
                    status,
                    status,
                    utc(publishedAt),
                    ordinal);
        }
        return ordinal;
    }

    /** A delivery of the event, with an attempt, in that state. */
    public long delivery(long event, Instant createdAt, String state, String mode) {
        long id = Long.parseLong(fixture.text(
                "insert into deliveries (id, tenant_id, app_id, epoch, subscription_id, event_ordinal, event_recorded_at, event_id,"
                        + " message_id, mode, state, url, protocol, cycle_started_at, next_attempt_at, created_at, updated_at, order_key,"
                        + " order_sequence)"
                        + " select nextval('ordinals'), tenant_id, app_id, epoch, ?, ordinal, recorded_at, event_id, 'msg_' || ordinal, ?,"
                        + " 'pending', 'http://127.0.0.1:9/hook', 1, at, case when ? = 'PUSH' then timestamptz 'infinity' end, at, at, 'k', 1"
                        + " from outbox_events, (select ?::timestamptz as at) x where ordinal = ? returning id",
                subscription,
                mode,
                mode,
                utc(createdAt),
                event));
        fixture.update(
                "insert into delivery_keys (event_ordinal, subscription_id, delivery_id, created_at) values (?, ?, ?, ?)",
                event,
                subscription,
                id,
                utc(createdAt));
        if (state.equals("pending")) {
            return id;
        }
        fixture.update(
                "insert into delivery_attempts (delivery_id, delivery_created_at, number, cycle, tenant_id, reservation_id, state, node,"
                        + " started_at, send_by) values (?, ?, 1, 1, ?, gen_random_uuid(), 'SENDING', 'n', ?, ?)",
                id,
                utc(createdAt),
                tenant,
                utc(createdAt),
                utc(createdAt));
        fixture.update(
                "update delivery_attempts set state = 'FAILED', finished_at = started_at where delivery_id = ?", id);
        fixture.update(
                "update deliveries set state = ?, attempts = 1, cycle_attempts = 1, finished_at = created_at where id = ?",
                state,
                id);
        return id;
    }

    /** A published event and its delivery, both in the middle of the week. */
    public long inWeek(int weeksAgo, String state, String mode) {
        Instant at = monday(weeksAgo).plus(Duration.ofDays(3));
        return delivery(event(at, "PUBLISHED", at), at, state, mode);
    }

    /** From now on dead deliveries of the subscription hold their key. */
    public void block() {
        fixture.update("update subscriptions set ordering = 'KEY', on_dead = 'BLOCK' where id = ?", subscription);
    }

    /** Whether the table has that week. */
    public boolean has(String parent, int weeksAgo) {
        return fixture.text("select to_regclass('ringfence." + parent + "_" + name(weeksAgo) + "')::text") != null;
    }

    private static OffsetDateTime utc(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }
}
