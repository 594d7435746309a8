package dev.ringfence.tracking;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.JsonRequests;
import dev.ringfence.api.Responses;
import dev.ringfence.lifecycle.TenantRef;
import dev.ringfence.recording.BoundedWaits;
import dev.ringfence.recording.RequestFacts;
import dev.ringfence.recording.TenantRequest;
import dev.ringfence.security.Roles;
import jakarta.annotation.security.RolesAllowed;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Response;

/** {@code PUT …/tenants/{tenant}/tracking}: milestones on or off; each switch back on is a new generation (LC-9). */
@Path("/apps/{app}/tenants/{tenant}/tracking")
@Produces(Responses.JSON)
@RequestScoped
public class TrackingResource {
    @Inject
    JsonRequests requests;

    @Inject
    RequestFacts facts;

    @Inject
    ContextChanges changes;

    /** Switches; answers the context. */
    @PUT
    @Consumes(Responses.JSON)
    @RolesAllowed({Roles.OPERATOR, Roles.ADMIN})
    public Response put(@PathParam("app") String app, @PathParam("tenant") String tenant, byte[] body) {
        TenantRef ref = TenantRef.ofPath(app, tenant);
        JsonNode document = requests.body(body, "tracking");
        TenantRequest request = facts.tenantRequest(ref, document);
        return BoundedWaits.answer(() -> Responses.json(
                200, changes.enabled(request, document.get("enabled").booleanValue())));
    }
}
