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

/** {@code POST /apps/{app}/subscriptions/{id}/test}: one request to the subscription's receiver (SB-7). */
@Path("/apps/{app}/subscriptions/{id}/test")
@Produces(Responses.JSON)
@RequestScoped
public class TestSendResource {

    @Inject
    TestSends sends;

    @Inject
    JsonRequests requests;

    @Inject
    RequestContext context;

    /** Queues a test send. */
    @POST
    @Consumes(Responses.JSON)
    @RolesAllowed({Roles.OPERATOR, Roles.ADMIN})
    public Response send(
            @PathParam("app") String app,
            @PathParam("id") String id,
            @HeaderParam("Idempotency-Key") @Nullable String key,
            byte[] body) {
        if (body.length > 0) {
            requests.body(body, "nothing");
        }
        Deed deed = new Deed(key, context.path(), context.caller(), body);
        return sends.send(PathIds.id(app), PathIds.id(id), deed).toResponse();
    }
}
