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
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Response;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

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
    SubscriptionChanges changes;

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

    /** Changes it by a merge patch (RFC 7396). */
    @PATCH
    @Consumes({Responses.JSON, "application/merge-patch+json"})
    @RolesAllowed({Roles.OPERATOR, Roles.ADMIN})
    public Response change(@PathParam("app") String app, @PathParam("id") String id, byte[] body) {
        SubscriptionPatch patch = requests.patch(body);
        Subscription changed = changes.change(PathIds.id(app), PathIds.id(id), patch, context.caller());
        return Responses.json(200, SubscriptionAnswer.of(changed));
    }

    /** Deletes it; what waits for it fails. */
    @DELETE
    @RolesAllowed({Roles.OPERATOR, Roles.ADMIN})
    public Response delete(@PathParam("app") String app, @PathParam("id") String id) {
        changes.delete(PathIds.id(app), PathIds.id(id), context.caller());
        return Response.noContent().build();
    }

    /** Pauses it (SB-3). */
    @POST
    @Path("pause")
    @Consumes(Responses.JSON)
    @RolesAllowed({Roles.OPERATOR, Roles.ADMIN})
    public Response pause(
            @PathParam("app") String app,
            @PathParam("id") String id,
            @HeaderParam("Idempotency-Key") @Nullable String key,
            byte[] body) {
        String reason = requests.reason(body);
        return changes.pause(PathIds.id(app), PathIds.id(id), reason, post(key, body))
                .toResponse();
    }

    /** Makes it active again (SB-3, SB-6). */
    @POST
    @Path("resume")
    @Consumes(Responses.JSON)
    @RolesAllowed({Roles.OPERATOR, Roles.ADMIN})
    public Response resume(
            @PathParam("app") String app,
            @PathParam("id") String id,
            @HeaderParam("Idempotency-Key") @Nullable String key,
            byte[] body) {
        String reason = requests.reason(body);
        return changes.resume(PathIds.id(app), PathIds.id(id), reason, post(key, body))
                .toResponse();
    }

    /** Makes new secrets; those before sign too for the time of grace (SB-7). */
    @POST
    @Path("rotate-secret")
    @Consumes(Responses.JSON)
    @RolesAllowed({Roles.OPERATOR, Roles.ADMIN})
    public Response rotateSecret(
            @PathParam("app") String app,
            @PathParam("id") String id,
            @HeaderParam("Idempotency-Key") @Nullable String key,
            byte[] body) {
        Duration grace = requests.grace(body);
        return changes.rotateSecret(PathIds.id(app), PathIds.id(id), grace, post(key, body))
                .toResponse();
    }

    private Post post(@Nullable String key, byte[] body) {
        return new Post(key, context.path(), context.caller(), body);
    }

    /** Replaces the accepted event families (SB-5). */
    @PUT
    @Path("grants")
    @Consumes(Responses.JSON)
    @RolesAllowed({Roles.OPERATOR, Roles.ADMIN})
    public Response grants(@PathParam("app") String app, @PathParam("id") String id, byte[] body) {
        Grants grants = requests.grants(body);
        Subscription changed = changes.grant(PathIds.id(app), PathIds.id(id), grants, context.caller());
        return Responses.json(200, SubscriptionAnswer.of(changed));
    }
}
