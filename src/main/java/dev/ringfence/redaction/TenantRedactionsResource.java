package dev.ringfence.redaction;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.JsonRequests;
import dev.ringfence.api.RequestContext;
import dev.ringfence.api.Responses;
import dev.ringfence.lifecycle.TenantRef;
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

/** {@code POST /apps/{app}/tenants/{tenant}/redactions}. */
@Path("/apps/{app}/tenants/{tenant}/redactions")
@RequestScoped
@Produces(Responses.JSON)
public class TenantRedactionsResource {

    @Inject
    Redactions redactions;

    @Inject
    JsonRequests requests;

    @Inject
    RequestContext context;

    /** Redacts a tenant, also one that was never enrolled (LC-2); 202, the work goes on by itself. */
    @POST
    @Consumes(Responses.JSON)
    @RolesAllowed({Roles.OPERATOR, Roles.ADMIN})
    public Response redact(
            @PathParam("app") String app,
            @PathParam("tenant") String tenant,
            @HeaderParam("Idempotency-Key") @Nullable String key,
            byte[] raw) {
        TenantRef ref = TenantRef.ofPath(app, tenant);
        JsonNode body = requests.body(raw, "redaction");
        JsonNode remote = body.get("remoteErasure");
        return redactions
                .request(
                        ref,
                        new RedactionOrder(
                                context.caller(),
                                body.get("reason").textValue(),
                                remote == null ? null : remote.booleanValue(),
                                key,
                                raw))
                .toResponse();
    }
}
