package dev.ringfence.campaign;

import dev.ringfence.campaign.RaceHistory.Arrival;
import dev.ringfence.campaign.RaceHistory.FenceRow;
import dev.ringfence.campaign.RaceHistory.Recorded;
import dev.ringfence.campaign.RaceHistory.Reservation;
import dev.ringfence.campaign.RaceHistory.Version;
import dev.ringfence.harness.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The database's side of a race, copied by triggers into a schema of the test's own as each transaction commits, so that erasure cannot
 * take it away.
 *
 * <p>A transaction that fences a tenant takes a ticket and stays open until the receiver has answered it: by then the receiver has read
 * every byte that had reached it and has written down where in its log it was. A first byte behind that place left after the tenant
 * was fenced, whatever any clock says. (The reverse, that none before it left later, is trivial.)
 */
final class RaceJournal {
    /** The receiver has this long for a sweep; then the fencing fails and the product tries again. */
    private static final String PATIENCE = "20 seconds";

    private static final String INSTALL = """
            create schema race;
            create sequence race.tickets;
            create sequence race.orders;
            create table race.sweeps (ticket bigint primary key, position bigint not null);
            create table race.reservations (
              reservation_id uuid primary key, message_id text not null, tenant_id bigint not null, epoch text not null,
              seen_epoch text, seen_phase text, seen_boundary timestamptz, state text not null, note text not null);
            create index on race.reservations (message_id);
            create table race.versions (
              number bigint primary key default nextval('race.orders'), tenant_id bigint not null, deleted boolean not null,
              epoch text, phase text, boundary timestamptz, ticket bigint, note text not null default clock_timestamp());
            create table race.recorded (
              event_id text primary key, tenant_id bigint not null, epoch text not null,
              seen_epoch text, seen_phase text, seen_boundary timestamptz);

            create function race.reserved() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
            begin
              insert into race.reservations
              select new.reservation_id, d.message_id, new.tenant_id, d.epoch::text, t.epoch::text, t.phase, t.last_redacted_at, new.state,
                     new.node || ' attempt ' || new.number || ', ' || clock_timestamp()
                from ringfence.deliveries d left join ringfence.tenant_lifecycle t on t.tenant_id = new.tenant_id
               where d.id = new.delivery_id;
              return null;
            end $$;
            create trigger race_reserved after insert on ringfence.delivery_attempts
              for each row execute function race.reserved();

            create function race.resolved() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
            begin
              update race.reservations r set state = new.state, note = concat(r.note, ' to ', clock_timestamp(), ' ', new.code) where r.reservation_id = new.reservation_id;
              return null;
            end $$;
            create trigger race_resolved after update of state on ringfence.delivery_attempts
              for each row execute function race.resolved();

            create function race.recorded() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
            begin
              insert into race.recorded
              select new.event_id, new.tenant_id, new.epoch::text, t.epoch::text, t.phase, t.last_redacted_at
                from (select) one left join ringfence.tenant_lifecycle t on t.tenant_id = new.tenant_id;
              return null;
            end $$;
            create trigger race_recorded after insert on ringfence.outbox_events
              for each row execute function race.recorded();

            create function race.lifecycle() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
            declare
              mine bigint;
              until timestamptz := clock_timestamp() + interval '%s';
            begin
              if tg_op = 'DELETE' then
                insert into race.versions (tenant_id, deleted) values (old.tenant_id, true);
                return null;
              end if;
              if new.phase = 'REDACTED' and (tg_op = 'INSERT' or old.epoch <> new.epoch or old.phase <> new.phase) then
                mine := nextval('race.tickets');
                while not exists (select from race.sweeps s where s.ticket = mine) loop
                  if clock_timestamp() > until then
                    raise exception 'the receiver did not sweep';
                  end if;
                  perform pg_sleep(0.003);
                end loop;
              end if;
              insert into race.versions (tenant_id, deleted, epoch, phase, boundary, ticket)
              values (new.tenant_id, false, new.epoch::text, new.phase, new.last_redacted_at, mine);
              return null;
            end $$;
            create trigger race_lifecycle after insert or update or delete on ringfence.tenant_lifecycle
              for each row execute function race.lifecycle();
            """.formatted(PATIENCE);

    private final TestDatabase database;

    /** @param database migrated, and not yet used */
    RaceJournal(TestDatabase database) {
        this.database = database;
        database.execute(INSTALL);
    }

    /** Both books. Call it when nothing happens any more. */
    RaceHistory read(List<Arrival> arrivals, Map<Long, Long> sweeps) {
        try (Connection connection = database.connect()) {
            return new RaceHistory(
                    arrivals,
                    sweeps,
                    rows(
                            connection,
                            "select * from race.reservations",
                            r -> new Reservation(
                                    r.getObject("reservation_id", UUID.class),
                                    r.getString("message_id"),
                                    r.getLong("tenant_id"),
                                    r.getString("epoch"),
                                    row(r, "seen_epoch", "seen_phase", "seen_boundary"),
                                    r.getString("state"),
                                    r.getString("note"))),
                    rows(
                            connection,
                            "select * from race.versions",
                            r -> new Version(
                                    r.getLong("number"),
                                    r.getLong("tenant_id"),
                                    r.getBoolean("deleted") ? null : row(r, "epoch", "phase", "boundary"),
                                    r.getObject("ticket", Long.class),
                                    r.getString("note"))),
                    rows(
                            connection,
                            "select * from race.recorded",
                            r -> new Recorded(
                                    r.getString("event_id"),
                                    r.getLong("tenant_id"),
                                    r.getString("epoch"),
                                    row(r, "seen_epoch", "seen_phase", "seen_boundary"))),
                    fenceRows(connection),
                    Set.copyOf(rows(
                            connection,
                            "select reservation_id from unresolved_markers",
                            r -> r.getObject(1, UUID.class))));
        } catch (SQLException e) {
            throw new IllegalStateException("cannot read the journal", e);
        }
    }

    private static Map<Long, FenceRow> fenceRows(Connection connection) throws SQLException {
        Map<Long, FenceRow> rows = new HashMap<>();
        rows(
                connection,
                "select tenant_id, epoch::text, phase, last_redacted_at from tenant_lifecycle",
                r -> rows.put(r.getLong(1), row(r, "epoch", "phase", "last_redacted_at")));
        return rows;
    }

    private static FenceRow row(ResultSet r, String epoch, String phase, String boundary) throws SQLException {
        OffsetDateTime moment = r.getObject(boundary, OffsetDateTime.class);
        Instant instant = moment == null ? null : moment.toInstant();
        return new FenceRow(text(r.getString(epoch)), text(r.getString(phase)), instant);
    }

    private static String text(@Nullable String value) {
        return value == null ? "(none)" : value;
    }

    private interface Reading<T extends @Nullable Object> {
        T of(ResultSet row) throws SQLException;
    }

    private static <T extends @Nullable Object> List<T> rows(Connection connection, String sql, Reading<T> reading)
            throws SQLException {
        List<T> all = new ArrayList<>();
        try (var statement = connection.prepareStatement(sql);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                all.add(reading.of(rows));
            }
        }
        return all;
    }
}
