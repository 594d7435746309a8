package dev.ringfence.lifecycle;

import dev.ringfence.fence.FenceKey;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A tenant's lifecycle row as it was read (LC-1). It says something about now only while the tenant's fence is held and the read
 * began after the grant (FN-4).
 *
 * @param tenantId the narrow key that every other table leads with
 * @param tenant the clear name; {@code null} once redaction erased it
 * @param epoch the current epoch; work of another one is stale
 * @param lastRedactedAt the boundary: what began at or before it stays refused
 * @param enrolledAt when the current epoch was minted
 * @param appEnabled whether the sending application is enabled (RT-2)
 * @param minSkewBound the least bound that a caller's own time must carry (LC-5)
 */
public record TenantLifecycle(
        long tenantId,
        UUID appId,
        @Nullable String tenant,
        FenceKey fenceKey,
        UUID epoch,
        Phase phase,
        @Nullable Instant lastRedactedAt,
        @Nullable Instant enrolledAt,
        long enableGeneration,
        long configurationRevision,
        @Nullable String publishedThemeId,
        @Nullable Instant themeCheckedAt,
        boolean enabled,
        boolean appEnabled,
        Duration minSkewBound) {

    public boolean active() {
        return phase == Phase.ACTIVE;
    }
}
