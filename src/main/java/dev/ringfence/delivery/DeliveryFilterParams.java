package dev.ringfence.delivery;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.Cursor;
import dev.ringfence.api.PathIds;
import dev.ringfence.api.SearchParams;
import jakarta.ws.rs.QueryParam;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The query parameters of a delivery search, as they came. */
public class DeliveryFilterParams extends SearchParams {
    @QueryParam("subscription")
    @Nullable
    String subscription;

    @QueryParam("state")
    @Nullable
    String state;

    @QueryParam("eventId")
    @Nullable
    String eventId;

    /**
     * The search, without its tenant.
     *
     * @throws ApiProblem 422 for a parameter that cannot be read
     */
    DeliveryQuery query(UUID appId) {
        Cursor after = cursor(1);
        return new DeliveryQuery(
                appId,
                null,
                null,
                subscription == null ? null : PathIds.parameter("/subscription", subscription),
                oneOf("/state", state, DeliveryState.values(), DeliveryState::text),
                eventId,
                from(),
                to(),
                after == null ? null : after.number(0),
                limit());
    }
}
