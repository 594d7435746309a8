package dev.ringfence.subscription;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.PathIds;
import dev.ringfence.api.RequestContext;
import dev.ringfence.api.Responses;
import dev.ringfence.security.Roles;
import jakarta.annotation.security.RolesAllowed;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Response;

/** {@code /apps/{app}/subscriptions/{id}}: one subscription and its grants. */
@Path("/apps/{app}/subscriptions/{id}")
@Produces(Responses.JSON)
@RequestScoped
public class SubscriptionResource {

    @Inject
    SubscriptionRequests requests;

    @Inject
    Subscriptions subscriptions;

    @Inject
    SubscriptionRepository rows;

    @Inject
    RequestContext context;

    /** The subscription, without its secrets. */
    @GET
    @RolesAllowed({Roles.CLIENT, Roles.OPERATOR, Roles.AUDITOR, Roles.ADMIN})
    public Response get(@PathParam("app") String app, @PathParam("id") String id) {
        return rows.find(PathIds.id(app), PathIds.id(id))
                .map(found -> Responses.json(200, SubscriptionAnswer.of(found)))
                .orElseThrow(ApiProblem::notFound);
    }

    /** Replaces the accepted event families (SB-5). */
    @PUT
    @Path("grants")
    @Consumes(Responses.JSON)
    @RolesAllowed({Roles.OPERATOR, Roles.ADMIN})
    public Response grants(@PathParam("app") String app, @PathParam("id") String id, byte[] body) {
        Grants grants = requests.grants(body);
        Subscription changed = subscriptions.grant(PathIds.id(app), PathIds.id(id), grants, context.caller());
        return Responses.json(200, SubscriptionAnswer.of(changed));
    }
}
