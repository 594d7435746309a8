package dev.ringfence.redaction;

import dev.ringfence.config.DataSources;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The statements of {@link RedactionSteps}. All times are the database's, so that nodes agree on leases; each change is a
 * compare-and-swap on the worker's token.
 */
@ApplicationScoped
public class StepRepository extends JtaRepository {
    /** A kill costs at most that long; whoever works renews it with each step. */
    private static final String LEASE = "clock_timestamp() + interval '15 seconds'";

    /** Tenants that may still be sent to come first: an erasure that is long, or an endpoint that hangs, holds no fencing back. */
    private static final String CLAIM = """
            with due as (
              select r.id from redactions r
               where r.status in ('RUNNING', 'WAITING') and r.next_at <= clock_timestamp()
                 and (r.locked_until is null or r.locked_until <= clock_timestamp())
               order by r.boundary is not null, r.next_at limit 1
               for update skip locked)
            update redactions r set status = 'RUNNING', locked_by = ?, locked_until = %s, updated_at = clock_timestamp()
              from due where r.id = due.id
            returning r.id
            """.formatted(LEASE);

    private static final String KEEP =
            "update redactions set locked_until = " + LEASE + " where id = ? and locked_by = ? and status = 'RUNNING'";
    private static final String BEGIN = """
            update redaction_stages set status = 'RUNNING', attempts = attempts + 1, updated_at = clock_timestamp()
             where redaction_id = ? and stage = ? and status in ('PENDING', 'RUNNING')
            """;
    private static final String MOVE = """
            update redaction_stages set status = ?, code = ?, updated_at = clock_timestamp() where redaction_id = ? and stage = ?
            """;
    private static final String NOTE = """
            update redaction_stages set code = ?, updated_at = clock_timestamp()
             where redaction_id = ? and stage = ? and status in ('PENDING', 'RUNNING')
            """;
    private static final String PAUSE = """
            update redactions set status = ?, next_at = clock_timestamp() + ? * interval '1 millisecond', locked_by = null,
                   locked_until = null, updated_at = clock_timestamp()
             where id = ? and locked_by = ? and status = 'RUNNING'
            """;
    private static final String FORGET = "update redactions set tenant = null where id = ? and tenant is not null";
    private static final String COMPLETE = """
            update redactions set status = 'DONE', tenant = null, finished_at = clock_timestamp(), updated_at = clock_timestamp(),
                   locked_by = null, locked_until = null
             where id = ? and locked_by = ? and status = 'RUNNING'
            """;

    @Inject
    public StepRepository(DataSources sources) {
        super(sources);
    }

    /** For the container's proxy, which never uses what it holds. */
    @SuppressWarnings("NullAway")
    StepRepository() {
        super(null);
    }

    Optional<UUID> claim(String token) {
        return first("claim a redaction", CLAIM, row -> row.getObject(1, UUID.class), token);
    }

    boolean keep(Claim claim) {
        return update("keep a redaction", KEEP, claim.redaction(), claim.token()) == 1;
    }

    boolean begin(Claim claim, StageName stage) {
        return update("begin a stage", BEGIN, claim.redaction(), stage.name()) == 1;
    }

    void move(Claim claim, StageName stage, StageStatus status, @Nullable String code) {
        update("end a stage", MOVE, status.name(), code, claim.redaction(), stage.name());
    }

    void note(Claim claim, StageName stage, @Nullable String code) {
        update("note why a stage waits", NOTE, code, claim.redaction(), stage.name());
    }

    /** Lets go of it, in that status, until the pause is over. */
    void pause(Claim claim, RedactionStatus status, Duration pause) {
        update("let go of a redaction", PAUSE, status.name(), pause.toMillis(), claim.redaction(), claim.token());
    }

    void forgetName(Claim claim) {
        update("forget a tenant's name", FORGET, claim.redaction());
    }

    boolean complete(Claim claim) {
        return update("complete a redaction", COMPLETE, claim.redaction(), claim.token()) == 1;
    }
}
