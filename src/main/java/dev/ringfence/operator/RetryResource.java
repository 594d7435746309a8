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

/** {@code POST /apps/{app}/deliveries/{id}/retry}: one delivery once more (OP-1). */
@Path("/apps/{app}/deliveries/{delivery}/retry")
@Produces(Responses.JSON)
@RequestScoped
public class RetryResource {
    @Inject
    Redeliveries redeliveries;

    @Inject
    DeedRequests requests;

    /** Opens a new cycle. */
    @POST
    @Consumes(Responses.JSON)
    @RolesAllowed({Roles.OPERATOR, Roles.ADMIN})
    public Response retry(
            @PathParam("app") String app,
            @PathParam("delivery") String delivery,
            @HeaderParam("Idempotency-Key") @Nullable String key,
            byte[] body) {
        return redeliveries.retry(requests.read(app, delivery, key, body)).toResponse();
    }
}
