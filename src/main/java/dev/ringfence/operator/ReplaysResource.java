package dev.ringfence.operator;

import dev.ringfence.api.JsonRequests;
import dev.ringfence.api.PathIds;
import dev.ringfence.api.RequestContext;
import dev.ringfence.api.Responses;
import dev.ringfence.security.Roles;
import jakarta.annotation.security.RolesAllowed;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Response;
import org.jspecify.annotations.Nullable;

/** {@code POST /apps/{app}/subscriptions/{id}/replays}: a window of a subscription's deliveries once more (DL-4). */
@Path("/apps/{app}/subscriptions/{id}/replays")
@Produces(Responses.JSON)
@RequestScoped
public class ReplaysResource {

    @Inject
    Redeliveries redeliveries;

    @Inject
    JsonRequests requests;

    @Inject
    RequestContext context;

    /** Orders a replay; the answer is its job. */
    @POST
    @Consumes(Responses.JSON)
    @RolesAllowed({Roles.OPERATOR, Roles.ADMIN})
    public Response replay(
            @PathParam("app") String app,
            @PathParam("id") String id,
            @HeaderParam("Idempotency-Key") @Nullable String key,
            byte[] body) {
        ReplayOrder order = ReplayOrder.read(requests.body(body, "replay"));
        Deed deed = new Deed(key, context.path(), context.caller(), body);
        return redeliveries.replay(PathIds.id(app), PathIds.id(id), order, deed).toResponse();
    }
}
