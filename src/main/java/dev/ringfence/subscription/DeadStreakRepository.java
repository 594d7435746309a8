package dev.ringfence.subscription;

import dev.ringfence.config.DataSources;
import dev.ringfence.outbox.StorageException;
import dev.ringfence.subscription.CircuitState.Position;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

/** The statement of {@link DeadStreaks}. */
@ApplicationScoped
public class DeadStreakRepository {

    /**
     * Rows are locked in the order of their ids. Whoever is disabled already counts on and is not disabled again; of
     * one that is paused only 410 says something about the receiver, all else that ends may end because of the pause (SB-3). An answer closes the circuit
     * in whatever state; a failure opens a closed one at the threshold, and one that is half open only where it is the probe's: what was
     * under way when it opened says nothing new.
     */
    private static final String COUNT = """
            with given as materialized (
              select * from unnest(?::uuid[], ?::boolean[], ?::integer[], ?::boolean[], ?::boolean[], ?::integer[], ?::boolean[])
                as g (id, broken, dead, gone, answered, failing, probe_failed)
            ), held as materialized (
              select s.id, g.gone, s.status, s.status <> 'DISABLED' as enabled,
                     case when g.broken then 0 else s.consecutive_dead end
                       + case when s.status = 'PAUSED' then 0 else g.dead end as dead, s.dead_threshold as most,
                     s.circuit, s.circuit_openings as openings, s.circuit_threshold as threshold, g.answered, g.probe_failed,
                     case when g.answered then 0 else s.circuit_failures end + g.failing as failing
                from given g join subscriptions s on s.id = g.id
               order by s.id
               for no key update of s
            ), verdict as materialized (
              select h.*, h.enabled and (h.gone or (h.status = 'ACTIVE' and h.dead >= h.most)) as over, ?::timestamptz as now,
                     case when h.threshold = 0 then 'CLOSED'
                          when h.circuit = 'CLOSED' and h.failing >= h.threshold then 'OPEN'
                          when h.circuit <> 'CLOSED' and h.answered and h.failing < h.threshold then 'CLOSED'
                          when h.circuit = 'HALF_OPEN' and h.probe_failed then 'OPEN'
                          else h.circuit end as next
                from held h
            )
            update subscriptions s
               set consecutive_dead = v.dead,
                   status = case when v.over then 'DISABLED' else s.status end,
                   disabled_reason = case when not v.over then s.disabled_reason when v.gone then 'GONE' else 'DEAD_THRESHOLD' end,
                   closings = case when v.over and cardinality(s.closings) % 2 = 0
                     then s.closings || nextval('ordinals') else s.closings end,
                   version = s.version + case when v.over then 1 else 0 end,
                   updated_at = case when v.over then v.now else s.updated_at end,
                   circuit = v.next,
                   circuit_failures = v.failing,
                   circuit_openings = case when v.next = 'CLOSED' then 0 when v.next = 'OPEN' and v.circuit <> 'OPEN'
                     then v.openings + 1 else v.openings end,
                   circuit_until = case when v.next = 'CLOSED' then null when v.next = 'OPEN' and v.circuit <> 'OPEN'
                     then v.now + least(s.circuit_max_pause_s, s.circuit_pause_s * power(2, least(v.openings, 20))) * interval '1 second'
                     else s.circuit_until end,
                   circuit_probe = case when v.next = 'HALF_OPEN' then s.circuit_probe end
              from verdict v
             where s.id = v.id
            returning s.id, s.app_id, s.tenant_id, s.disabled_reason, s.consecutive_dead, v.over, v.circuit, v.next
            """;

    private final DataSources sources;
    private final CircuitCounters circuits;

    @Inject
    public DeadStreakRepository(DataSources sources, CircuitCounters circuits) {
        this.sources = sources;
        this.circuits = circuits;
    }

    /** For the container's proxy. */
    protected DeadStreakRepository() {
        this(new DataSources(), new CircuitCounters());
    }

    /** Counts; returns the subscriptions that this disabled. */
    List<Disabled> count(List<Streak> streaks, Instant now) {
        try (Connection connection = sources.jta().getConnection();
                PreparedStatement statement = connection.prepareStatement(COUNT)) {
            statement.setArray(1, connection.createArrayOf("uuid", column(streaks, Streak::subscriptionId)));
            statement.setArray(2, connection.createArrayOf("boolean", column(streaks, Streak::broken)));
            statement.setArray(3, connection.createArrayOf("integer", column(streaks, Streak::dead)));
            statement.setArray(4, connection.createArrayOf("boolean", column(streaks, Streak::gone)));
            statement.setArray(5, connection.createArrayOf("boolean", column(streaks, Streak::answered)));
            statement.setArray(6, connection.createArrayOf("integer", column(streaks, Streak::failing)));
            statement.setArray(7, connection.createArrayOf("boolean", column(streaks, Streak::probeFailed)));
            statement.setObject(8, now.atOffset(ZoneOffset.UTC));
            List<Disabled> disabled = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    circuits.moved(
                            rows.getObject(1, UUID.class),
                            Position.valueOf(rows.getString(7)),
                            Position.valueOf(rows.getString(8)));
                    if (rows.getBoolean(6)) {
                        disabled.add(new Disabled(
                                rows.getObject(1, UUID.class),
                                rows.getObject(2, UUID.class),
                                rows.getLong(3),
                                DisabledReason.valueOf(rows.getString(4)),
                                rows.getInt(5)));
                    }
                }
            }
            return disabled;
        } catch (SQLException e) {
            throw new StorageException("cannot count dead deliveries", e);
        }
    }

    private static Object[] column(List<Streak> streaks, Function<Streak, Object> value) {
        return streaks.stream().map(value).toArray();
    }
}
