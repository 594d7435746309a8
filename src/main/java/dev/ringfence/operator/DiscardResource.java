package dev.ringfence.operator;

import dev.ringfence.api.ApiProblem;
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
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** {@code POST /apps/{app}/dead-letters/{id}/discard}: a dead delivery is given up for good (OP-2). */
@Path("/apps/{app}/dead-letters/{delivery}/discard")
@Produces(Responses.JSON)
@RequestScoped
public class DiscardResource {
    private static final Pattern ID = Pattern.compile("[1-9][0-9]{0,17}");

    @Inject
    Discards discards;

    @Inject
    JsonRequests requests;

    @Inject
    RequestContext context;

    /** Gives it up for good. */
    @POST
    @Consumes(Responses.JSON)
    @RolesAllowed({Roles.OPERATOR, Roles.ADMIN})
    public Response discard(
            @PathParam("app") String app,
            @PathParam("delivery") String delivery,
            @HeaderParam("Idempotency-Key") @Nullable String key,
            byte[] body) {
        String reason = requests.body(body, "reason").path("reason").asText();
        if (!ID.matcher(delivery).matches()) {
            throw ApiProblem.notFound();
        }
        Deed deed = new Deed(key, context.path(), context.caller(), body);
        return discards.discard(PathIds.id(app), Long.parseLong(delivery), reason, deed)
                .toResponse();
    }
}
