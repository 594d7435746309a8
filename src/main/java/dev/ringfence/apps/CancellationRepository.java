package dev.ringfence.apps;

import dev.ringfence.config.DataSources;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** The table {@code app_cancellations}, and the statements that cancel. In the caller's transaction. */
@ApplicationScoped
public class CancellationRepository {
    /** The barrier is the disabling transaction itself. Who has not seen it and commits later still is stopped by the number of {@link #ENABLED}. */
    private static final String OPEN = """
            insert into app_cancellations (app_id, disabled_at, barrier) values (?, clock_timestamp(), pg_current_xact_id())
            on conflict (app_id) do update set disabled_at = excluded.disabled_at, barrier = excluded.barrier, cancelled = 0,
               finished_at = null
            """;

    private static final String IS_OPEN =
            "select app_id from app_cancellations where app_id = ? and finished_at is null";
    private static final String ALL_OPEN =
            "select app_id from app_cancellations where finished_at is null order by disabled_at";
    /** What is open is left to its receipt: it becomes final, or waits again and is cancelled then. */
    private static final String DELIVERIES = """
            with held as materialized (
              select d.id from deliveries_live d
               where d.tenant_id = any (array(select t.tenant_id from tenant_lifecycle t where t.app_id = ?))
                 and d.state in ('pending', 'retrying') and d.reservation_id is null
               limit ?
               for no key update of d skip locked
            )
            update deliveries d
               set state = 'failed', last_code = 'APP_DISABLED', next_attempt_at = null, finished_at = clock_timestamp(),
                   updated_at = clock_timestamp()
              from held h
             where d.id = any (array[h.id]) and d.state not in ('delivered', 'failed', 'dead', 'skipped_filter')
            """;
    /** A claimed event is left to its publisher, which discards it. What is held is locked in its state, so the state needs no second look. */
    private static final String EVENTS = """
            with held as materialized (
              select e.ordinal, e.recorded_at from outbox_events e
               where e.status in ('PENDING', 'FAILED_RETRYABLE') and e.app_id = ?
               limit ?
               for no key update of e skip locked
            )
            update outbox_events e
               set status = 'DISCARDED', last_error_code = 'APP_DISABLED',
                   last_error_message = 'The sending application is disabled.', updated_at = clock_timestamp()
              from held h
             where e.ordinal = any (array[h.ordinal]) and e.recorded_at is not distinct from h.recorded_at
            """;

    private static final String ENABLED =
            "update app_cancellations set enabled_from = nextval('ordinals') where app_id = ?";

    private static final String COUNT = "update app_cancellations set cancelled = cancelled + ? where app_id = ?";
    /** Done only when nothing is left, and the transactions that were under way have ended, so that little comes after. */
    private static final String FINISH = """
            update app_cancellations c set finished_at = clock_timestamp()
             where c.app_id = ? and c.finished_at is null and pg_snapshot_xmin(pg_current_snapshot()) > c.barrier
               and not exists (
                 select from deliveries_live d
                  where d.tenant_id = any (array(select t.tenant_id from tenant_lifecycle t where t.app_id = c.app_id))
                    and d.state in ('pending', 'retrying'))
               and not exists (
                 select from outbox_events e
                  where e.status in ('PENDING', 'FAILED_RETRYABLE') and e.app_id = c.app_id)
               and not exists (select from outbox_events e where e.status = 'CLAIMED' and e.app_id = c.app_id)
            """;

    private final DataSources sources;

    @Inject
    public CancellationRepository(DataSources sources) {
        this.sources = sources;
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    CancellationRepository() {
        this(null);
    }

    /** Notes, in the transaction that disables it, that the application's queued work is to be cancelled. */
    void open(UUID app) {
        update(OPEN, app);
    }

    /** Notes, in the transaction that enables it again, from which number on its events are sent. */
    void enabledAgain(UUID app) {
        update(ENABLED, app);
    }

    /** Whether work of the application is still to be cancelled. */
    boolean isOpen(UUID app) {
        return !list(IS_OPEN, app).isEmpty();
    }

    /** The applications whose work is still to be cancelled. */
    List<UUID> allOpen() {
        return list(ALL_OPEN);
    }

    int cancelDeliveries(UUID app, int most) {
        return update(DELIVERIES, app, most);
    }

    int discardEvents(UUID app, int most) {
        return update(EVENTS, app, most);
    }

    void count(UUID app, int cancelled) {
        update(COUNT, cancelled, app);
    }

    boolean finish(UUID app) {
        return update(FINISH, app) == 1;
    }

    private List<UUID> list(String sql, Object... values) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, values);
            List<UUID> found = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(rows.getObject(1, UUID.class));
                }
            }
            return found;
        } catch (SQLException e) {
            throw new IllegalStateException("Cancelled work cannot be looked for.", e);
        }
    }

    private int update(String sql, Object... values) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, values);
            return statement.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException("An application's work cannot be cancelled.", e);
        }
    }

    private static void bind(PreparedStatement statement, Object... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
    }
}
