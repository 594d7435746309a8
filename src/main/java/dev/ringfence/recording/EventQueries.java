package dev.ringfence.recording;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.PageLimit;
import dev.ringfence.lifecycle.LifecycleRepository;
import dev.ringfence.lifecycle.TenantLifecycle;
import dev.ringfence.lifecycle.TenantRef;
import dev.ringfence.outbox.OutboxStatus;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Turns query parameters into a search. */
@ApplicationScoped
class EventQueries {
    @Inject
    LifecycleRepository lifecycle;

    /**
     * The search, or empty where it names a tenant that there is not.
     *
     * @throws ApiProblem 422 for a parameter that cannot be read
     */
    Optional<EventQuery> of(UUID appId, EventFilterParams params) {
        EventQuery query = new EventQuery(
                appId,
                null,
                status(params.status),
                params.name,
                params.workspaceId,
                params.relationshipId,
                instant("/from", params.from),
                instant("/to", params.to),
                EventQuery.Position.parse(params.cursor),
                PageLimit.parse(params.limit));
        if (params.tenant == null) {
            return Optional.of(query);
        }
        return lifecycle
                .find(TenantRef.ofPath(appId.toString(), params.tenant))
                .map(TenantLifecycle::tenantId)
                .map(query::ofTenant);
    }

    private static @Nullable OutboxStatus status(@Nullable String text) {
        if (text == null) {
            return null;
        }
        return Arrays.stream(OutboxStatus.values())
                .filter(status -> status.name().equals(text))
                .findFirst()
                .orElseThrow(() -> ApiProblem.invalid(
                        "/status", "NOT_ALLOWED", "one of " + Arrays.toString(OutboxStatus.values())));
    }

    private static @Nullable Instant instant(String pointer, @Nullable String text) {
        if (text == null) {
            return null;
        }
        return EventChecks.instant(text)
                .orElseThrow(() ->
                        ApiProblem.invalid(pointer, "BAD_FORMAT", "an RFC 3339 date-time with offset is required"));
    }
}
