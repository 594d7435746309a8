package dev.ringfence.feed;

import dev.ringfence.config.DataSources;
import dev.ringfence.outbox.StorageException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Feeds and their cursors, in the caller's transaction if there is one. What a feed shows lies below the oldest transaction that is
 * running anywhere in the cluster, prepared ones too: whatever of it is not seen now was rolled back (PL-2).
 */
@ApplicationScoped
public class FeedRepository {

    private static final String STORED =
            "select generation, xid::text, delivery_id from feed_cursors where subscription_id = ?";

    /**
     * {@code mode = 'PULL'} as a literal, so that a generic plan has the partial index. The tenant is looked at by the same statement: a
     * redaction leaves what waits to its erasure, and nothing of it is shown from its fencing on (RD-5).
     */
    private static final String WAITING = """
            from deliveries_live d
             where d.subscription_id = ? and d.mode = 'PULL' and (d.feed_xid, d.id) > (?::xid8, ?)
               and d.feed_xid < pg_snapshot_xmin(pg_current_snapshot())
               and (select t.phase = 'ACTIVE' from subscriptions s join tenant_lifecycle t on t.tenant_id = s.tenant_id where s.id = ?)
             order by d.feed_xid, d.id
            """;

    /** A page ends early where its envelopes grow large; the first is always part of it. */
    static final String PAGE = """
            select p.id, p.xid, p.event_id, p.event_ordinal, p.cycle, p.test, p.event_name, p.bytes, p.sha256
              from (
                select d.id, d.feed_xid, d.feed_xid::text as xid, d.event_id, d.event_ordinal, d.cycle, d.test, o.event_name,
                       coalesce(d.body_bytes, o.payload_bytes) as bytes, coalesce(d.body_sha256, o.payload_sha256) as sha256,
                       sum(coalesce(octet_length(d.body_bytes), octet_length(o.payload_bytes), 0))
                         over (order by d.feed_xid, d.id rows between unbounded preceding and 1 preceding) as before
                  from (select d.id, d.feed_xid, d.event_id, d.event_ordinal, d.event_recorded_at, d.cycle, d.test, d.body_bytes,
                               d.body_sha256
                          %s limit ?) d
                  left join lateral (
                    select e.event_name, e.payload_bytes, e.payload_sha256 from outbox_events e
                     where e.ordinal = d.event_ordinal and e.recorded_at = d.event_recorded_at limit 1) o on true) p
             where coalesce(p.before, 0) < ?
             order by p.feed_xid, p.id
            """.formatted(WAITING);

    private static final String GIVEN = "select ?::xid8 < pg_snapshot_xmin(pg_current_snapshot())";

    /** What can be seen has committed, so its transaction is below the next one: unless another cluster counted it. */
    private static final String FOREIGN = """
            select exists (
              select from deliveries_live d
               where d.subscription_id = ? and d.mode = 'PULL' and d.feed_xid >= pg_snapshot_xmax(pg_current_snapshot()))
            """;

    /** Polls that have something to hear: a row, or that their feed is not what it was. */
    private static final String READY = """
            select w.n
              from unnest(?::integer[], ?::uuid[], ?::uuid[], ?::text[], ?::bigint[]) as w (n, subscription, generation, xid, delivery)
             where exists (
                     select from deliveries_live d
                      where d.subscription_id = w.subscription and d.mode = 'PULL' and (d.feed_xid, d.id) > (w.xid::xid8, w.delivery)
                        and d.feed_xid < pg_snapshot_xmin(pg_current_snapshot()))
                or not exists (
                     select from feed_cursors c join subscriptions s on s.id = c.subscription_id
                      where c.subscription_id = w.subscription and c.generation = w.generation and s.status <> 'DISABLED')
            """;

    private static final String COVERED = """
            select d.id, o.event_name
              from (select d.id, d.event_ordinal, d.event_recorded_at
                      from deliveries_live d
                     where d.subscription_id = ? and d.mode = 'PULL' and (d.feed_xid, d.id) <= (?::xid8, ?)
                     order by d.feed_xid, d.id limit ?) d
              left join lateral (
                select e.event_name from outbox_events e
                 where e.ordinal = d.event_ordinal and e.recorded_at = d.event_recorded_at limit 1) o on true
            """;

    private static final String DELIVERED = """
            update deliveries d
               set state = 'delivered', accepted_at = coalesce(d.accepted_at, n.at), last_code = null, finished_at = n.at,
                   updated_at = n.at
              from (select ?::timestamptz as at) n
             where d.id = any (?) and d.state not in ('delivered', 'failed', 'dead', 'skipped_filter')
               and d.state is not distinct from 'pending' and d.mode is not distinct from 'PULL'
            """;

    private static final String DENIED = """
            update deliveries d
               set state = 'failed', last_code = 'ACCESS_ABSENT', finished_at = n.at, updated_at = n.at
              from (select ?::timestamptz as at) n
             where d.id = any (?) and d.state not in ('delivered', 'failed', 'dead', 'skipped_filter')
               and d.state is not distinct from 'pending' and d.mode is not distinct from 'PULL'
            """;

    private static final String MOVE =
            "update feed_cursors set xid = ?::xid8, delivery_id = ?, updated_at = ?::timestamptz where subscription_id = ?";

    /**
     * A loose index scan over the feeds that have something, for those whose subscription was deleted: nobody is ever going to fetch that
     * (SB-5). Rows that somebody else has in hand are left to the next look, and keep no other feed waiting.
     */
    private static final String GONE = """
            with recursive feeds as (
              (select d.subscription_id as id from deliveries_live d where d.mode = 'PULL' order by d.subscription_id limit 1)
              union all
              select n.id
                from feeds f, lateral (
                  select d.subscription_id as id from deliveries_live d
                   where d.mode = 'PULL' and d.subscription_id > f.id order by d.subscription_id limit 1) n
            ), gone as materialized (
              select f.id from feeds f where not exists (select from subscriptions s where s.id = f.id)
            ), held as materialized (
              select h.id
                from gone g, lateral (
                  select d.id from deliveries_live d
                   where d.mode = 'PULL' and d.state = 'pending' and d.subscription_id = g.id
                   limit ?
                     for no key update of d skip locked) h
               limit ?
            )
            update deliveries d
               set state = 'failed', last_code = 'SUBSCRIPTION_GONE', finished_at = clock_timestamp(), updated_at = clock_timestamp()
              from held h
             where d.id = any (array[h.id]) and d.state not in ('delivered', 'failed', 'dead', 'skipped_filter')
               and d.state is not distinct from 'pending'
            """;

    private final DataSources sources;

    @Inject
    public FeedRepository(DataSources sources) {
        this.sources = sources;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    protected FeedRepository() {
        this(null);
    }

    /** A wish that waits: where to go on in which feed. */
    record Wish(int number, FeedCursor after) {}

    /** How far the feed's reader is; empty where there is no such feed. */
    Optional<FeedCursor> stored(UUID subscription) {
        return stored(subscription, STORED);
    }

    /** As {@link #stored}, locked until the transaction ends. */
    Optional<FeedCursor> lock(UUID subscription) {
        return stored(subscription, STORED + " for update");
    }

    private Optional<FeedCursor> stored(UUID subscription, String sql) {
        return query("read a feed's cursor", sql, row -> cursor(subscription, row), subscription).stream()
                .findFirst();
    }

    private static FeedCursor cursor(UUID subscription, ResultSet row) throws SQLException {
        FeedPosition position = new FeedPosition(Long.parseLong(row.getString(2)), row.getLong(3));
        return new FeedCursor(subscription, row.getObject(1, UUID.class), position);
    }

    /**
     * What can be read behind that place, in order.
     *
     * @param most rows at most
     * @param bytes once the envelopes have so many, no further one is added
     */
    List<FeedRow> page(UUID subscription, FeedPosition after, int most, long bytes) {
        return query(
                "read a feed",
                PAGE,
                FeedRepository::row,
                subscription,
                Long.toString(after.transaction()),
                after.delivery(),
                subscription,
                most,
                bytes);
    }

    private static FeedRow row(ResultSet row) throws SQLException {
        return new FeedRow(
                new FeedPosition(Long.parseLong(row.getString("xid")), row.getLong("id")),
                row.getString("event_id"),
                row.getLong("event_ordinal"),
                row.getInt("cycle"),
                row.getBoolean("test"),
                row.getString("event_name"),
                row.getBytes("bytes"),
                row.getBytes("sha256"));
    }

    /** Whether a feed of this database can have given that place out: all transactions up to it have ended. */
    boolean given(FeedPosition place) {
        return query("check a cursor", GIVEN, row -> row.getBoolean(1), Long.toString(place.transaction()))
                .get(0);
    }

    /** Whether something waits in that feed whose place another cluster gave it, see {@code rotate_feeds} (PL-2). */
    boolean foreign(UUID subscription) {
        return query("check a feed", FOREIGN, row -> row.getBoolean(1), subscription)
                .get(0);
    }

    /** The numbers of those wishes that have an answer by now, in one round trip. */
    List<Integer> ready(List<Wish> wishes) {
        return query("look for what polls wait for", READY, row -> row.getInt(1), (Object[]) new Object[][] {
            wishes.stream().map(Wish::number).toArray(Integer[]::new),
            wishes.stream().map(wish -> wish.after().subscription()).toArray(UUID[]::new),
            wishes.stream().map(wish -> wish.after().generation()).toArray(UUID[]::new),
            wishes.stream()
                    .map(wish -> Long.toString(wish.after().position().transaction()))
                    .toArray(String[]::new),
            wishes.stream().map(wish -> wish.after().position().delivery()).toArray(Long[]::new)
        });
    }

    /** What waits up to and with that place, at most so many. */
    List<Covered> covered(UUID subscription, FeedPosition to, int most) {
        return query(
                "read what a cursor covers",
                COVERED,
                row -> new Covered(row.getLong(1), row.getString(2)),
                subscription,
                Long.toString(to.transaction()),
                to.delivery(),
                most);
    }

    /** Marks deliveries as fetched; how many still waited. */
    int deliver(List<Long> deliveries, Instant now) {
        return update("mark what a cursor covers", DELIVERED, now.toString(), deliveries.toArray(Long[]::new));
    }

    /** Ends deliveries whose family is no longer granted (SB-5). */
    int deny(List<Long> deliveries, Instant now) {
        return update("mark what is not granted", DENIED, now.toString(), deliveries.toArray(Long[]::new));
    }

    void move(UUID subscription, FeedPosition to, Instant now) {
        update("move a cursor", MOVE, Long.toString(to.transaction()), to.delivery(), now.toString(), subscription);
    }

    /** Ends some of what waits for a reader whose subscription is gone; how many. */
    int failGone(int most) {
        return update("end what nobody fetches", GONE, most, most);
    }

    @FunctionalInterface
    private interface Reading<T> {
        T of(ResultSet row) throws SQLException;
    }

    private <T> List<T> query(String step, String sql, Reading<T> reading, Object... values) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = bound(connection, sql, values);
                ResultSet rows = statement.executeQuery()) {
            List<T> found = new ArrayList<>();
            while (rows.next()) {
                found.add(reading.of(rows));
            }
            return found;
        } catch (SQLException e) {
            throw new StorageException("cannot " + step, e);
        }
    }

    private int update(String step, String sql, Object... values) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = bound(connection, sql, values)) {
            return statement.executeUpdate();
        } catch (SQLException e) {
            throw new StorageException("cannot " + step, e);
        }
    }

    private static PreparedStatement bound(Connection connection, String sql, Object... values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            Object value = values[i];
            statement.setObject(i + 1, value instanceof Object[] array ? array(connection, array) : value);
        }
        return statement;
    }

    private static Object array(Connection connection, Object[] values) throws SQLException {
        String type = values instanceof Long[]
                ? "bigint"
                : values instanceof Integer[] ? "integer" : values instanceof UUID[] ? "uuid" : "text";
        return connection.createArrayOf(type, values);
    }
}
