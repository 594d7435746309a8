package dev.ringfence.operator;

import dev.ringfence.config.DataSources;
import dev.ringfence.config.Select;
import dev.ringfence.delivery.DeliveryStorageException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The table {@code jobs}, in the caller's transaction. */
@ApplicationScoped
class JobRepository {

    private static final String INSERT_DONE =
            "insert into jobs (id, app_id, kind, status, done, total, subscription_id, epoch, next_at, created_at, started_at,"
                    + " finished_at) values (?, ?, 'RETRY', 'DONE', 1, 1, ?, ?, ?, ?, ?, ?)";

    private static final String INSERT_REPLAY =
            "insert into jobs (id, app_id, kind, status, subscription_id, epoch, window_from, window_to, states, next_at, created_at)"
                    + " values (?, ?, 'REPLAY', 'QUEUED', ?, ?, ?, ?, ?, ?, ?)";

    private static final String FIND = "select id, kind, status, code, done, total, created_at, started_at, finished_at"
            + " from jobs where app_id = ? and id = ?";

    private static final String DUE =
            "select id from jobs where status in ('QUEUED', 'RUNNING') and next_at <= ? order by next_at limit 1";

    private static final String OPEN =
            "select id, status, subscription_id, epoch, window_from, window_to, states, place_at, coalesce(place_id, 0) as place_id"
                    + " from jobs where id = ? and status in ('QUEUED', 'RUNNING')";

    private static final String LOCK = OPEN + " for no key update skip locked";

    private static final String BEGIN = "update jobs set status = 'RUNNING', total = ?, started_at = ? where id = ?";

    /** What went well once more is not about to fail for good. The next step's turn comes after that of others. */
    private static final String ADVANCE =
            "update jobs set done = done + ?, place_at = ?, place_id = ?, code = null, failures = 0, next_at = ? where id = ?";

    private static final String POSTPONE = "update jobs set code = ?, next_at = ? where id = ?";

    private static final String FINISH = "update jobs set status = ?, code = ?, finished_at = ? where id = ?";

    private static final String FAIL = """
            update jobs set failures = failures + 1,
               status = case when failures + 1 >= ? then 'FAILED' else status end,
               code = case when failures + 1 >= ? then 'STORAGE_FAILED' end,
               finished_at = case when failures + 1 >= ? then ?::timestamptz end,
               next_at = ?::timestamptz + least(60, power(2, failures)) * interval '1 second'
             where id = ? and status in ('QUEUED', 'RUNNING')
            """;

    private static final String PURGE = "delete from jobs where id in (select id from jobs where finished_at < ?"
            + " order by finished_at limit ? for no key update skip locked)";

    private final DataSources sources;

    @Inject
    JobRepository(DataSources sources) {
        this.sources = sources;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    JobRepository() {
        this(null);
    }

    void insertRetry(UUID id, UUID appId, UUID subscription, UUID epoch, Instant now) {
        update(INSERT_DONE, id, appId, subscription, epoch, utc(now), utc(now), utc(now), utc(now));
    }

    void insertReplay(UUID id, UUID appId, UUID subscription, UUID epoch, ReplayOrder order, Instant to, Instant now) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = bound(
                        connection,
                        INSERT_REPLAY,
                        id,
                        appId,
                        subscription,
                        epoch,
                        utc(order.from()),
                        utc(to),
                        connection.createArrayOf("text", order.states().toArray()),
                        utc(now),
                        utc(now))) {
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new DeliveryStorageException("store a job", e);
        }
    }

    /** The job, if it is this application's. */
    Optional<Job> find(UUID appId, UUID id) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = bound(connection, FIND, appId, id);
                ResultSet row = statement.executeQuery()) {
            return row.next()
                    ? Optional.of(new Job(
                            id,
                            JobKind.valueOf(row.getString("kind")),
                            JobStatus.valueOf(row.getString("status")),
                            row.getString("code"),
                            row.getLong("done"),
                            row.getLong("total"),
                            Select.instant(row, "created_at"),
                            Select.instantOrNull(row, "started_at"),
                            Select.instantOrNull(row, "finished_at")))
                    : Optional.empty();
        } catch (SQLException e) {
            throw new DeliveryStorageException("read a job", e);
        }
    }

    /** The job whose turn it is. */
    Optional<UUID> due(Instant now) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = bound(connection, DUE, utc(now));
                ResultSet row = statement.executeQuery()) {
            return row.next() ? Optional.of(row.getObject(1, UUID.class)) : Optional.empty();
        } catch (SQLException e) {
            throw new DeliveryStorageException("look for jobs", e);
        }
    }

    /** The replay; empty where it is over. */
    Optional<Replay> find(UUID id) {
        return replay(OPEN, id);
    }

    /** The replay, locked until the transaction ends; empty where it is over, or another node's at this moment. */
    Optional<Replay> lock(UUID id) {
        return replay(LOCK, id);
    }

    private Optional<Replay> replay(String sql, UUID id) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = bound(connection, sql, id);
                ResultSet row = statement.executeQuery()) {
            return row.next()
                    ? Optional.of(new Replay(
                            id,
                            JobStatus.valueOf(row.getString("status")),
                            row.getObject("subscription_id", UUID.class),
                            row.getObject("epoch", UUID.class),
                            Select.instant(row, "window_from"),
                            Select.instant(row, "window_to"),
                            List.of((String[]) row.getArray("states").getArray()),
                            Select.instantOrNull(row, "place_at"),
                            row.getLong("place_id")))
                    : Optional.empty();
        } catch (SQLException e) {
            throw new DeliveryStorageException("read a replay", e);
        }
    }

    void begin(UUID id, long total, Instant now) {
        update(BEGIN, total, utc(now), id);
    }

    void advance(UUID id, int done, NewCycleRepository.Place place, Instant now) {
        update(ADVANCE, done, utc(place.createdAt()), place.id(), utc(now), id);
    }

    /** @param code why it waits; null where that is nothing to tell */
    void postpone(UUID id, @Nullable String code, Instant until) {
        update(POSTPONE, code, utc(until), id);
    }

    void finish(UUID id, JobStatus status, @Nullable String code, Instant now) {
        update(FINISH, status.name(), code, utc(now), id);
    }

    /** Notes that a step failed: the next comes later, and after so many in a row none. */
    void failed(UUID id, int most, Instant now) {
        update(FAIL, most, most, most, utc(now), utc(now), id);
    }

    /** Deletes jobs that were over before that instant, the oldest first, at most so many; returns how many. */
    int purge(Instant before, int most) {
        return update(PURGE, utc(before), most);
    }

    private int update(String sql, @Nullable Object... values) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = bound(connection, sql, values)) {
            return statement.executeUpdate();
        } catch (SQLException e) {
            throw new DeliveryStorageException("change a job", e);
        }
    }

    private static Object utc(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }

    private static PreparedStatement bound(Connection connection, String sql, @Nullable Object... values)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }
}
