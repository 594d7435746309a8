package dev.ringfence.subscription;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.Page;
import dev.ringfence.api.PageLimit;
import dev.ringfence.api.RequestContext;
import dev.ringfence.api.Responses;
import dev.ringfence.api.TimeCursor;
import dev.ringfence.lifecycle.LifecycleRepository;
import dev.ringfence.lifecycle.TenantLifecycle;
import dev.ringfence.lifecycle.TenantRef;
import dev.ringfence.outbox.StorageException;
import dev.ringfence.security.Roles;
import jakarta.annotation.security.RolesAllowed;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code …/tenants/{tenant}/subscriptions}: subscribe, and list a tenant's subscriptions. */
@Path("/apps/{app}/tenants/{tenant}/subscriptions")
@Produces(Responses.JSON)
@RequestScoped
public class SubscriptionsResource {

    @Inject
    SubscriptionRequests requests;

    @Inject
    Subscriptions subscriptions;

    @Inject
    SubscriptionRepository rows;

    @Inject
    LifecycleRepository lifecycles;

    @Inject
    RequestContext context;

    /** Creates a subscription; secrets that are made for it are in this answer and in no other. */
    @POST
    @Consumes(Responses.JSON)
    @RolesAllowed({Roles.OPERATOR, Roles.ADMIN})
    public Response create(
            @PathParam("app") String app,
            @PathParam("tenant") String tenant,
            @HeaderParam("Idempotency-Key") @Nullable String key,
            byte[] body) {
        TenantRef subscriber = TenantRef.ofPath(app, tenant);
        SubscriptionDraft draft = requests.creation(body);
        Post post = new Post(key, context.path(), context.caller(), body);
        try {
            return subscriptions.create(subscriber, draft, post).toResponse();
        } catch (StorageException e) {
            throw waited(e);
        }
    }

    /** The subscriptions of a tenant, oldest first. */
    @GET
    @RolesAllowed({Roles.CLIENT, Roles.OPERATOR, Roles.AUDITOR, Roles.ADMIN})
    public Response list(
            @PathParam("app") String app,
            @PathParam("tenant") String tenant,
            @QueryParam("cursor") @Nullable String cursor,
            @QueryParam("limit") @Nullable String limit) {
        TenantLifecycle row = lifecycles.find(TenantRef.ofPath(app, tenant)).orElseThrow(ApiProblem::notFound);
        int size = PageLimit.parse(limit);
        List<Subscription> found = rows.page(row.tenantId(), TimeCursor.parse(cursor), size + 1);
        Page<Subscription> page = Page.of(found, size, last -> TimeCursor.of(last.createdAt(), last.id()));
        return Responses.json(200, page.map(SubscriptionAnswer::of));
    }

    private static RuntimeException waited(StorageException e) {
        return e.waitedTooLong()
                ? ApiProblem.unavailable("UNAVAILABLE", "Another transaction holds what this one needs. Try again.")
                : e;
    }
}
