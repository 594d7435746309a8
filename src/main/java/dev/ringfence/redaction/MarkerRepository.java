package dev.ringfence.redaction;

import dev.ringfence.config.DataSources;
import dev.ringfence.redaction.Marker.LateAnswer;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Unresolved markers. The database makes them; reconciliation is what changes them. A redaction speaks for its tenant: its markers are
 * those that it or an earlier redaction of the tenant left, so that redacting again hides nothing.
 */
@ApplicationScoped
public class MarkerRepository extends JtaRepository {
    private static final String SELECT = """
            select m.* from redactions r
              join redactions e on e.tenant_id = r.tenant_id and e.requested_at <= r.requested_at
              join unresolved_markers m on m.redaction_id = e.id
             where r.id = ?""";
    private static final String ORDER = " order by m.started_at, m.reservation_id limit ?";
    private static final String RECONCILE = """
            update unresolved_markers
               set finding = ?, resolved_at = case when ? then clock_timestamp() end, resolved_by = case when ? then ? end
             where reservation_id = ? and resolved_at is null
            """;

    @Inject
    public MarkerRepository(DataSources sources) {
        super(sources);
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    MarkerRepository() {
        super(null);
    }

    /** Markers by age, after that one; from the first where it is null. */
    List<Marker> list(UUID redaction, @Nullable Instant afterStart, @Nullable UUID after, int limit) {
        if (afterStart == null || after == null) {
            return list("list markers", SELECT + ORDER, MarkerRepository::marker, redaction, limit);
        }
        return list(
                "list markers",
                SELECT + " and (m.started_at, m.reservation_id) > (?, ?)" + ORDER,
                MarkerRepository::marker,
                redaction,
                afterStart.atOffset(ZoneOffset.UTC),
                after,
                limit);
    }

    /** A marker that nobody else changes until the transaction ends. */
    Optional<Marker> lock(UUID redaction, UUID reservation) {
        return first(
                "lock a marker",
                SELECT + " and m.reservation_id = ? for update of m",
                MarkerRepository::marker,
                redaction,
                reservation);
    }

    /** Notes the finding on a marker that {@link #lock} returned. */
    void reconcile(UUID reservation, Finding finding, String actor) {
        boolean resolves = finding.resolves();
        update("reconcile a marker", RECONCILE, finding.name(), resolves, resolves, actor, reservation);
    }

    private static Marker marker(ResultSet row) throws SQLException {
        byte[] sha256 = row.getBytes("body_sha256");
        String finding = row.getString("finding");
        return new Marker(
                row.getObject("reservation_id", UUID.class),
                row.getString("event_id"),
                sha256 == null ? null : HexFormat.of().formatHex(sha256),
                Objects.requireNonNull(instant(row, "started_at")),
                row.getObject("epoch", UUID.class),
                finding == null ? null : Finding.valueOf(finding),
                instant(row, "resolved_at"),
                late(row));
    }

    private static @Nullable LateAnswer late(ResultSet row) throws SQLException {
        Instant at = instant(row, "late_at");
        if (at == null) {
            return null;
        }
        int status = row.getInt("late_status");
        boolean unknown = row.wasNull();
        return new LateAnswer(row.getString("late_state"), unknown ? null : status, at);
    }
}
