package dev.ringfence.tracking;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.JsonRequests;
import dev.ringfence.api.Responses;
import dev.ringfence.config.Settings;
import dev.ringfence.lifecycle.TenantRef;
import dev.ringfence.recording.BoundedWaits;
import dev.ringfence.recording.RequestFacts;
import dev.ringfence.recording.TenantRequest;
import dev.ringfence.security.Roles;
import dev.ringfence.time.Instants;
import jakarta.annotation.security.RolesAllowed;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Response;
import java.time.Instant;

/** {@code PUT …/tenants/{tenant}/theme}: which theme a completed check found published (LC-9). */
@Path("/apps/{app}/tenants/{tenant}/theme")
@Produces(Responses.JSON)
@RequestScoped
public class ThemeResource {
    @Inject
    JsonRequests requests;

    @Inject
    RequestFacts facts;

    @Inject
    ContextChanges changes;

    @Inject
    Settings settings;

    /** Notes the theme; answers the context. */
    @PUT
    @Consumes(Responses.JSON)
    @RolesAllowed({Roles.OPERATOR, Roles.ADMIN})
    public Response put(@PathParam("app") String app, @PathParam("tenant") String tenant, byte[] body) {
        TenantRef ref = TenantRef.ofPath(app, tenant);
        JsonNode document = requests.body(body, "theme");
        TenantRequest request = facts.tenantRequest(ref, document);
        Instant checkedAt = checkedAt(document, request);
        return BoundedWaits.answer(() -> Responses.json(
                200, changes.theme(request, document.get("publishedThemeId").textValue(), checkedAt)));
    }

    /** A check that is still to come has found nothing. */
    private Instant checkedAt(JsonNode document, TenantRequest request) {
        Instant at = Instants.parse(document.get("themeCheckedAt").textValue())
                .orElseThrow(() -> ApiProblem.invalid(
                        "/themeCheckedAt", "BAD_FORMAT", "An RFC 3339 date-time with offset is required."));
        if (at.isAfter(request.receivedAt().plus(settings.maxSkew()))) {
            throw ApiProblem.invalid(
                    "/themeCheckedAt", "OUT_OF_RANGE", "The time when the check completed, so not in the future.");
        }
        return at;
    }
}
