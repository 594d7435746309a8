package dev.ringfence.operator;

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

/** {@code POST /apps/{app}/dead-letters/{id}/discard}: a dead delivery is given up for good (OP-2). */
@Path("/apps/{app}/dead-letters/{delivery}/discard")
@Produces(Responses.JSON)
@RequestScoped
public class DiscardResource {
    @Inject
    Discards discards;

    @Inject
    DeedRequests requests;

    /** Gives it up for good. */
    @POST
    @Consumes(Responses.JSON)
    @RolesAllowed({Roles.OPERATOR, Roles.ADMIN})
    public Response discard(
            @PathParam("app") String app,
            @PathParam("delivery") String delivery,
            @HeaderParam("Idempotency-Key") @Nullable String key,
            byte[] body) {
        return discards.discard(requests.read(app, delivery, key, body)).toResponse();
    }
}
