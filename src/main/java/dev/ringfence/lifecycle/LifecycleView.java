package dev.ringfence.lifecycle;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The shape Lifecycle of the API. */
@JsonInclude(JsonInclude.Include.NON_NULL)
record LifecycleView(
        UUID app,
        String tenant,
        UUID epoch,
        Phase phase,
        @Nullable Instant lastRedactedAt,
        @Nullable Instant enrolledAt,
        long enableGeneration,
        long configurationRevision,
        @Nullable String publishedThemeId,
        @Nullable Instant themeCheckedAt,
        boolean enabled) {

    /** The name comes from the request: the row's own may be erased. */
    static LifecycleView of(TenantRef tenant, TenantLifecycle row) {
        return new LifecycleView(
                row.appId(),
                tenant.tenant(),
                row.epoch(),
                row.phase(),
                row.lastRedactedAt(),
                row.enrolledAt(),
                row.enableGeneration(),
                row.configurationRevision(),
                row.publishedThemeId(),
                row.themeCheckedAt(),
                row.enabled());
    }
}
