package dev.ringfence.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.JsonRequests;
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
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import org.jspecify.annotations.Nullable;

/** {@code POST /apps/{app}/tenants/{tenant}/enrolment}. */
@Path("/apps/{app}/tenants/{tenant}/enrolment")
@Produces(Responses.JSON)
@RequestScoped
public class EnrolmentResource {

    @Inject
    Enrolments enrolments;

    @Inject
    JsonRequests requests;

    @Inject
    RequestContext context;

    @POST
    @Consumes(MediaType.APPLICATION_JSON)
    @RolesAllowed({Roles.CLIENT, Roles.ADMIN})
    public Response enrol(
            @PathParam("app") String app,
            @PathParam("tenant") String tenant,
            @HeaderParam("Idempotency-Key") @Nullable String idempotencyKey,
            byte[] raw) {
        TenantRef ref = TenantRef.ofPath(app, tenant);
        JsonNode body = requests.body(raw, "enrolment");
        return enrolments
                .enrol(new EnrolmentRequest(
                        ref,
                        context.caller(),
                        context.receivedAt(),
                        CallerStart.in(body),
                        CallerStart.instant(
                                "/session/authenticatedAt",
                                body.path("session").path("authenticatedAt").textValue()),
                        idempotencyKey,
                        context.path(),
                        raw))
                .toResponse();
    }
}
