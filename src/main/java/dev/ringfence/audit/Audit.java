package dev.ringfence.audit;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.json.StrictJson;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Clock;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Writes audit entries (OP-1). */
@ApplicationScoped
public class Audit {

    private final AuditRepository entries;
    private final Clock clock;

    @Inject
    public Audit(AuditRepository entries, Clock clock) {
        this.entries = entries;
        this.clock = clock;
    }

    /** For the container's proxy. */
    @SuppressWarnings("NullAway")
    protected Audit() {
        this.entries = null;
        this.clock = null;
    }

    /**
     * Adds an entry in the caller's transaction; with its rollback the entry goes too.
     *
     * @param actor who acts: the name of the caller's key, never the key
     * @param action what is done, as {@code subscription.create}
     * @param appId the application concerned; null for a global deed
     * @param tenantId the tenant's narrow key; null where none is concerned
     * @param target what it is done to, an id
     * @param reason the operator's own words, where the operation asks for them
     * @param detail what changed; never a secret or a tenant's payload
     */
    public void record(
            String actor,
            String action,
            @Nullable UUID appId,
            @Nullable Long tenantId,
            String target,
            @Nullable String reason,
            @Nullable JsonNode detail) {
        entries.insert(
                clock.instant(),
                actor,
                action,
                appId,
                tenantId,
                target,
                reason,
                detail == null ? null : StrictJson.text(detail));
    }
}
