package dev.ringfence.delivery;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.Cursor;
import dev.ringfence.api.Page;
import dev.ringfence.api.PathIds;
import dev.ringfence.api.Responses;
import dev.ringfence.lifecycle.LifecycleRepository;
import dev.ringfence.lifecycle.TenantRef;
import dev.ringfence.security.Roles;
import dev.ringfence.subscription.Subscription;
import dev.ringfence.subscription.SubscriptionRepository;
import jakarta.annotation.security.RolesAllowed;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** {@code GET /apps/{app}/deliveries}: deliveries with their attempts, newest first, and a single one. */
@Path("/apps/{app}/deliveries")
@Produces(Responses.JSON)
@RequestScoped
public class DeliveriesResource {
    @Inject
    DeliveryRepository deliveries;

    @Inject
    AttemptRepository attempts;

    @Inject
    LifecycleRepository lifecycles;

    @Inject
    SubscriptionRepository subscriptions;

    /** Searches the app's deliveries. */
    @GET
    @RolesAllowed({Roles.CLIENT, Roles.OPERATOR, Roles.AUDITOR, Roles.ADMIN})
    public Response search(@PathParam("app") String app, @BeanParam DeliveryFilterParams params) {
        UUID appId = PathIds.id(app);
        DeliveryQuery query = params.query(appId);
        String tenant = params.tenant();
        if (tenant == null) {
            return page(query.ofTenant(tenantOf(query)));
        }
        return lifecycles
                .find(TenantRef.ofQuery(appId, tenant))
                .map(row -> page(query.ofTenant(row.tenantId())))
                .orElseGet(() -> Responses.json(200, Page.empty()));
    }

    /** One delivery. */
    @GET
    @Path("{delivery}")
    @RolesAllowed({Roles.CLIENT, Roles.OPERATOR, Roles.AUDITOR, Roles.ADMIN})
    public Response get(@PathParam("app") String app, @PathParam("delivery") String delivery) {
        long id = PathIds.number(delivery);
        List<Delivery> found = deliveries.find(DeliveryQuery.one(PathIds.id(app), id));
        return attempts.addTo(found).stream()
                .findFirst()
                .map(one -> Responses.json(200, one))
                .orElseThrow(ApiProblem::notFound);
    }

    /** The tenant of the subscription, because finished deliveries are indexed by both; null where that is not known. */
    private @Nullable Long tenantOf(DeliveryQuery query) {
        UUID subscription = query.subscriptionId();
        return subscription == null
                ? null
                : subscriptions
                        .find(query.appId(), subscription)
                        .map(Subscription::tenantId)
                        .orElse(null);
    }

    private Response page(DeliveryQuery query) {
        Page<Delivery> page = Page.of(deliveries.find(query), query.limit(), DeliveriesResource::cursor);
        return Responses.json(200, new Page<>(attempts.addTo(page.items()), page.next()));
    }

    private static Cursor cursor(Delivery last) {
        return Cursor.of(last.id());
    }
}
