package dev.ringfence.fanout;

import dev.ringfence.config.DataSources;
import dev.ringfence.outbox.DedupeKey;
import dev.ringfence.outbox.OrdinalsRepository;
import dev.ringfence.outbox.StorageException;
import dev.ringfence.signing.EventIds;
import dev.ringfence.transport.OutcomeCode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Writes the deliveries of a publish transaction, all at once (SB-4). */
@ApplicationScoped
public class NewDeliveriesRepository {

    /** The version of how a delivery row is written; a worker sends only versions that it knows. */
    static final int PROTOCOL = 1;

    /*
     * The key table decides: where an event has a delivery for the subscription already, nothing is written (OB-1). URL and headers
     * are the subscription's in this very transaction and stay with the delivery, as does the body where it is not the event's own. A
     * refused event keeps none. Where the subscription keeps an order, what has a place in one is held: due at infinity (OB-5).
     */
    private static final String INSERT = """
            with event as (
              select * from unnest(?::bigint[], ?::timestamptz[], ?::text[], ?::text[], ?::integer[], ?::bytea[], ?::bigint[], ?::uuid[],
                  ?::uuid[], ?::text[], ?::bigint[])
                e(ordinal, recorded_at, event_id, event_name, octets, sha256, tenant_id, app_id, epoch, order_key, order_sequence)),
            wanted as (
              select * from unnest(?::bigint[], ?::bigint[], ?::uuid[], ?::text[], ?::text[], ?::bytea[])
                w(id, ordinal, subscription_id, message_id, state, body)),
            fresh as (
              insert into delivery_keys (event_ordinal, subscription_id, delivery_id, created_at)
              select w.ordinal, w.subscription_id, w.id, ?::timestamptz
              from wanted w join subscriptions s on s.id = w.subscription_id
              order by w.id
              on conflict do nothing
              returning delivery_id)
            insert into deliveries (id, tenant_id, app_id, epoch, subscription_id, event_ordinal, event_recorded_at, event_id,
              message_id, mode, state, url, headers, body_bytes, body_sha256, protocol, cycle_started_at, next_attempt_at, created_at,
              updated_at, finished_at, order_key, order_sequence, event_name, octets)
            select w.id, e.tenant_id, e.app_id, e.epoch, w.subscription_id, e.ordinal, e.recorded_at, e.event_id,
              w.message_id, s.mode, w.state, case when w.state = 'pending' then s.url end,
              case when w.state = 'pending' then s.headers end, w.body, coalesce(sha256(w.body), e.sha256), ?, n.at,
              case when o.ordered then 'infinity' when w.state = 'pending' and s.mode <> 'PULL' then n.at end, n.at, n.at,
              case when w.state = 'skipped_filter' then n.at end, case when o.ordered then e.order_key end, case when o.ordered then e.order_sequence end,
              e.event_name, coalesce(octet_length(w.body), e.octets)
            from fresh f
            join wanted w on w.id = f.delivery_id
            join event e on e.ordinal = w.ordinal
            join subscriptions s on s.id = w.subscription_id
            cross join (select ?::timestamptz as at) n
            cross join lateral (select w.state = 'pending' and s.ordering = 'KEY' and s.mode <> 'PULL' and e.order_sequence is not null as ordered) o
            """;

    private static final String FAIL = """
            update deliveries
            set state = 'failed', last_code = ?, next_attempt_at = null, finished_at = ?::timestamptz,
              updated_at = ?::timestamptz
            where id = any(?::bigint[]) and state = 'pending'
            """;

    private final DataSources sources;
    private final OrdinalsRepository ordinals;

    @Inject
    public NewDeliveriesRepository(DataSources sources, OrdinalsRepository ordinals) {
        this.sources = sources;
        this.ordinals = ordinals;
    }

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    protected NewDeliveriesRepository() {
        this.sources = null;
        this.ordinals = null;
    }

    private record Numbered(long id, PlannedDelivery delivery) {

        String messageId(Instant now) {
            byte[] body = delivery.body();
            return EventIds.message(now, id, body == null ? delivery.event().payloadSha256() : DedupeKey.sha256(body));
        }

        String firstState() {
            return delivery.fate() == Fate.SKIP ? "skipped_filter" : "pending";
        }
    }

    /** Each delivery takes its own ordinal (RC-7); one without consent (SB-5) or without a body that can be sent ends failed at once. */
    void insert(List<PlannedDelivery> planned, Instant now) {
        List<Numbered> numbered = numbered(planned);
        try (Connection connection = sources.jta().getConnection()) {
            insert(connection, numbered, now.toString(), now);
            fail(connection, numbered, Fate.DENY, OutcomeCode.ACCESS_ABSENT, now.toString());
            fail(connection, numbered, Fate.OVERSIZE, OutcomeCode.BODY_TOO_LARGE, now.toString());
        } catch (SQLException e) {
            throw new StorageException("cannot insert deliveries", e);
        }
    }

    private List<Numbered> numbered(List<PlannedDelivery> planned) {
        long[] ids = ordinals.next(planned.size());
        List<Numbered> numbered = new ArrayList<>();
        for (int i = 0; i < ids.length; i++) {
            numbered.add(new Numbered(ids[i], planned.get(i)));
        }
        return numbered;
    }

    private static void insert(Connection connection, List<Numbered> numbered, String at, Instant now)
            throws SQLException {
        List<ClaimedEvent> events =
                numbered.stream().map(one -> one.delivery().event()).distinct().toList();
        Object[] values = {
            column(connection, "bigint", events, ClaimedEvent::ordinal),
            column(
                    connection,
                    "timestamptz",
                    events,
                    event -> event.recordedAt().toString()),
            column(connection, "text", events, ClaimedEvent::eventId),
            column(connection, "text", events, ClaimedEvent::eventName),
            column(connection, "integer", events, ClaimedEvent::octets),
            connection.createArrayOf(
                    "bytea", events.stream().map(ClaimedEvent::payloadSha256).toArray(byte[][]::new)),
            column(connection, "bigint", events, ClaimedEvent::tenantId),
            column(connection, "uuid", events, ClaimedEvent::appId),
            column(connection, "uuid", events, ClaimedEvent::epoch),
            column(
                    connection,
                    "text",
                    events,
                    event -> event.place() == null ? null : event.place().key()),
            column(
                    connection,
                    "bigint",
                    events,
                    event -> event.place() == null ? null : event.place().sequence()),
            column(connection, "bigint", numbered, Numbered::id),
            column(connection, "bigint", numbered, one -> one.delivery().event().ordinal()),
            column(connection, "uuid", numbered, one -> one.delivery().subscriptionId()),
            column(connection, "text", numbered, one -> one.messageId(now)),
            column(connection, "text", numbered, Numbered::firstState),
            connection.createArrayOf(
                    "bytea", numbered.stream().map(one -> one.delivery().body()).toArray(byte[][]::new)),
            at,
            PROTOCOL,
            at
        };
        execute(connection, INSERT, values);
    }

    private static void fail(Connection connection, List<Numbered> numbered, Fate fate, OutcomeCode code, String at)
            throws SQLException {
        List<Numbered> failed =
                numbered.stream().filter(one -> one.delivery().fate() == fate).toList();
        if (!failed.isEmpty()) {
            execute(connection, FAIL, code.name(), at, at, column(connection, "bigint", failed, Numbered::id));
        }
    }

    private static <T> Array column(
            Connection connection, String type, List<T> rows, Function<T, @Nullable Object> value) throws SQLException {
        Stream<@Nullable Object> values = rows.stream().map(value);
        return connection.createArrayOf(type, values.toArray());
    }

    private static int execute(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            return statement.executeUpdate();
        }
    }
}
