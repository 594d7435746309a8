package dev.ringfence.lifecycle;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.Responses;
import dev.ringfence.security.Roles;
import jakarta.annotation.security.RolesAllowed;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Response;

/** {@code GET /apps/{app}/tenants/{tenant}}: the lifecycle row. */
@Path("/apps/{app}/tenants/{tenant}")
@Produces(Responses.JSON)
@RequestScoped
public class TenantResource {

    @Inject
    LifecycleRepository rows;

    @GET
    @RolesAllowed({Roles.CLIENT, Roles.OPERATOR, Roles.AUDITOR, Roles.ADMIN})
    public Response lifecycle(@PathParam("app") String app, @PathParam("tenant") String tenant) {
        TenantRef ref = TenantRef.ofPath(app, tenant);
        return Responses.json(200, LifecycleView.of(ref, rows.find(ref).orElseThrow(ApiProblem::notFound)));
    }
}
