package dev.ringfence.redaction;

import dev.ringfence.config.DataSources;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Redactions as they are requested and read. */
@ApplicationScoped
public class RedactionRepository extends JtaRepository {
    /** What earlier redactions of the tenant left open is open still: redacting again establishes nothing. */
    private static final String SELECT = """
            select r.*, (select count(*) from redactions e join unresolved_markers m on m.redaction_id = e.id
                          where e.tenant_id = r.tenant_id and e.requested_at <= r.requested_at and m.resolved_at is null) as unresolved
              from redactions r where r.id = ?
            """;

    private static final String STAGES =
            "select stage, status, attempts, code, updated_at from redaction_stages where redaction_id = ? order by position";
    /** Losing against another request is no error: that one's redaction is found afterwards. */
    private static final String INSERT = """
            insert into redactions (id, app_id, tenant_hash, tenant, remote_erasure, status, requested_at, updated_at, next_at)
            select ?, ?, ?, ?, ?, 'RUNNING', t.now, t.now, t.now from (select clock_timestamp() as now) t
            on conflict (app_id, tenant_hash) where status <> 'DONE' do nothing
            """;

    private static final String INSERT_STAGES = """
            insert into redaction_stages (redaction_id, stage, position, status, updated_at)
            select ?, s.stage, s.position, 'PENDING', clock_timestamp()
              from unnest(array['CANCEL', 'FENCE', 'DRAIN', 'ERASE', 'REMOTE_ERASE', 'VERIFY']) with ordinality as s (stage, position)
            """;
    /** Takes no lock: the fencing statement holds the row's for as long as it runs, and a repeated request need not wait for it. */
    private static final String UNFINISHED =
            "select id from redactions where app_id = ? and tenant_hash = ? and status <> 'DONE'";

    private static final String RESUME = """
            update redactions set status = 'RUNNING', remote_erasure = remote_erasure and ?, next_at = clock_timestamp(),
                   locked_by = null, locked_until = null, updated_at = clock_timestamp()
             where id = ? and status = 'FAILED'
            """;
    private static final String RESUME_STAGES = """
            update redaction_stages set status = 'PENDING', updated_at = clock_timestamp()
             where redaction_id = ? and status = 'FAILED'
            """;
    private static final String TENANT = "select tenant_id from tenant_lifecycle where app_id = ? and tenant_hash = ?";

    @Inject
    public RedactionRepository(DataSources sources) {
        super(sources);
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    RedactionRepository() {
        super(null);
    }

    Optional<Redaction> find(UUID id) {
        List<Stage> stages = list("read the stages of a redaction", STAGES, RedactionRepository::stage, id);
        return first("read a redaction", SELECT, row -> redaction(row, stages), id);
    }

    /** Adds a redaction; false where one that is not done exists. */
    boolean add(UUID id, UUID appId, byte[] tenantHash, String tenant, boolean remoteErasure) {
        if (update("request a redaction", INSERT, id, appId, tenantHash, tenant, remoteErasure) == 0) {
            return false;
        }
        update("request a redaction", INSERT_STAGES, id);
        return true;
    }

    /** The redaction of the tenant that is not done, if any. */
    Optional<UUID> unfinished(UUID appId, byte[] tenantHash) {
        return first("look for a redaction", UNFINISHED, row -> row.getObject(1, UUID.class), appId, tenantHash);
    }

    /** Takes a failed redaction up again; false where it has not failed. */
    boolean resume(UUID id, boolean remoteErasure) {
        boolean failed = update("take a redaction up again", RESUME, remoteErasure, id) == 1;
        if (failed) {
            update("take a redaction up again", RESUME_STAGES, id);
        }
        return failed;
    }

    /** The tenant's narrow key, where it has a lifecycle row. */
    Optional<Long> tenantId(UUID appId, byte[] tenantHash) {
        return first("look for a tenant", TENANT, row -> row.getLong(1), appId, tenantHash);
    }

    private static Redaction redaction(ResultSet row, List<Stage> stages) throws SQLException {
        return new Redaction(
                row.getObject("id", UUID.class),
                row.getObject("app_id", UUID.class),
                row.getBytes("tenant_hash"),
                row.getString("tenant"),
                number(row),
                row.getObject("epoch_before", UUID.class),
                instant(row, "boundary"),
                row.getBoolean("remote_erasure"),
                RedactionStatus.valueOf(row.getString("status")),
                Objects.requireNonNull(instant(row, "requested_at")),
                instant(row, "finished_at"),
                row.getLong("unresolved"),
                stages);
    }

    private static @Nullable Long number(ResultSet row) throws SQLException {
        long number = row.getLong("tenant_id");
        return row.wasNull() ? null : number;
    }

    private static Stage stage(ResultSet row) throws SQLException {
        return new Stage(
                StageName.valueOf(row.getString("stage")),
                StageStatus.valueOf(row.getString("status")),
                row.getInt("attempts"),
                row.getString("code"),
                Objects.requireNonNull(instant(row, "updated_at")));
    }
}
