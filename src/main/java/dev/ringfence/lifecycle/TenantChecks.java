package dev.ringfence.lifecycle;

import dev.ringfence.lifecycle.TenantVerdict.Current;
import dev.ringfence.lifecycle.TenantVerdict.Refused;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The checks of every request that acts on a tenant, in the order that the API promises. */
public final class TenantChecks {

    public static final Refused STALE_EPOCH =
            new Refused("STALE_EPOCH", "The tenant is not enrolled under this epoch. Enrol it again.");
    public static final Refused TENANT_REDACTED =
            new Refused("TENANT_REDACTED", "The tenant was redacted. Only a later enrolment makes it active.");
    public static final Refused REQUEST_BEFORE_REDACTION =
            new Refused("REQUEST_BEFORE_REDACTION", "The request may have begun before the tenant was last redacted.");

    private TenantChecks() {}

    /**
     * No row, redacted, another epoch, the caller's own time, the boundary: the first that fails answers.
     *
     * @param row the tenant's row, read under its fence
     * @param epoch what the request brings
     * @param starts {@link RequestStarts#effective} for this request, asked only once the epoch is known to be current
     */
    public static TenantVerdict verify(
            @Nullable TenantLifecycle row, UUID epoch, Function<TenantLifecycle, EffectiveStart> starts) {
        if (row == null) {
            return STALE_EPOCH;
        }
        if (!row.active()) {
            return TENANT_REDACTED;
        }
        if (!row.epoch().equals(epoch)) {
            return STALE_EPOCH;
        }
        EffectiveStart start = starts.apply(row);
        return start.isAfter(row.lastRedactedAt()) ? new Current(row, start) : REQUEST_BEFORE_REDACTION;
    }
}
