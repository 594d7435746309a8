package dev.ringfence.recording;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.SearchParams;
import dev.ringfence.outbox.OutboxStatus;
import jakarta.ws.rs.QueryParam;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The query parameters of an event search, as they came. */
public class EventFilterParams extends SearchParams {
    @QueryParam("status")
    @Nullable
    String status;

    @QueryParam("name")
    @Nullable
    String name;

    @QueryParam("workspaceId")
    @Nullable
    String workspaceId;

    @QueryParam("relationshipId")
    @Nullable
    String relationshipId;

    /**
     * The search, without its tenant.
     *
     * @throws ApiProblem 422 for a parameter that cannot be read
     */
    EventQuery query(UUID appId) {
        return new EventQuery(
                appId,
                null,
                oneOf("/status", status, OutboxStatus.values(), OutboxStatus::name),
                name,
                workspaceId,
                relationshipId,
                from(),
                to(),
                EventQuery.Position.of(cursor(EventQuery.Position.PARTS)),
                limit());
    }
}
