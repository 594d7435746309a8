package dev.ringfence.recording;

import jakarta.ws.rs.QueryParam;
import org.jspecify.annotations.Nullable;

/** The query parameters of an event search, as they came. */
public class EventFilterParams {
    @QueryParam("tenant")
    @Nullable
    String tenant;

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

    @QueryParam("from")
    @Nullable
    String from;

    @QueryParam("to")
    @Nullable
    String to;

    @QueryParam("cursor")
    @Nullable
    String cursor;

    @QueryParam("limit")
    @Nullable
    String limit;
}
