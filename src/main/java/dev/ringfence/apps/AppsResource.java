package dev.ringfence.apps;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.JsonRequests;
import dev.ringfence.api.Page;
import dev.ringfence.api.PageLimit;
import dev.ringfence.api.PathIds;
import dev.ringfence.api.RequestContext;
import dev.ringfence.api.Responses;
import dev.ringfence.api.TimeCursor;
import dev.ringfence.security.Roles;
import dev.ringfence.signing.WebhookSecret;
import dev.ringfence.transport.DestinationGuard;
import dev.ringfence.transport.DestinationNotAllowed;
import jakarta.annotation.security.RolesAllowed;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** {@code /apps}: sending applications. */
@Path("/apps")
@RequestScoped
@Produces(Responses.JSON)
public class AppsResource {

    @Inject
    Apps apps;

    @Inject
    AppRepository repository;

    @Inject
    JsonRequests requests;

    @Inject
    RequestContext request;

    @Inject
    DestinationGuard destinations;

    /** Registers an application; only a global admin may. */
    @POST
    @Consumes(Responses.JSON)
    @RolesAllowed(Roles.ADMIN)
    public Response register(@HeaderParam("Idempotency-Key") @Nullable String key, byte[] raw) {
        request.requireGlobalKey();
        JsonNode document = requests.body(raw, "app");
        checkErasure(document);
        return apps.register(key, raw, document).toResponse();
    }

    /** Lists the applications that the caller may see. */
    @GET
    @RolesAllowed({Roles.CLIENT, Roles.OPERATOR, Roles.AUDITOR, Roles.ADMIN})
    public Response list(@QueryParam("cursor") @Nullable String cursor, @QueryParam("limit") @Nullable String limit) {
        UUID own = request.caller().appId();
        Page<App> page = own == null
                ? page(TimeCursor.parse(cursor), PageLimit.parse(limit))
                : new Page<>(repository.find(own).stream().toList(), null);
        return Responses.json(200, page.map(AppView::of));
    }

    /** One application. */
    @GET
    @Path("/{app}")
    @RolesAllowed({Roles.CLIENT, Roles.OPERATOR, Roles.AUDITOR, Roles.ADMIN})
    public Response get(@PathParam("app") String app) {
        return Responses.json(200, AppView.of(repository.find(PathIds.id(app)).orElseThrow(ApiProblem::notFound)));
    }

    /** Changes an application: name, least skew bound, remote erasure, enabled (RT-2). */
    @PATCH
    @Path("/{app}")
    @Consumes({Responses.JSON, "application/merge-patch+json"})
    @RolesAllowed(Roles.ADMIN)
    public Response change(@PathParam("app") String app, byte[] raw) {
        JsonNode document = requests.body(raw, "app-change");
        checkErasure(document);
        return Responses.json(200, apps.change(PathIds.id(app), document));
    }

    private void checkErasure(JsonNode document) {
        JsonNode erasure = document.path("remoteErasure");
        if (erasure.isObject()) {
            checkSecret(erasure.get("secret").textValue());
            checkDestination(erasure.get("url").textValue());
        }
    }

    /** A secret without a key in it would be found out by a redaction, which could not go on. */
    private static void checkSecret(String secret) {
        try {
            WebhookSecret.parse(secret);
        } catch (IllegalArgumentException e) {
            throw ApiProblem.invalid("/remoteErasure/secret", "BAD_FORMAT", String.valueOf(e.getMessage()));
        }
    }

    /** Before any transaction, as it resolves the host's name. */
    private void checkDestination(String url) {
        try {
            destinations.checkAtConfiguration(url);
        } catch (DestinationNotAllowed e) {
            throw ApiProblem.unprocessable("DESTINATION_NOT_ALLOWED", "remoteErasure.url: " + e.getMessage());
        }
    }

    private Page<App> page(@Nullable TimeCursor after, int limit) {
        List<App> rows =
                repository.list(after == null ? null : after.at(), after == null ? null : after.uuid(), limit + 1);
        return Page.of(rows, limit, app -> TimeCursor.of(app.createdAt(), app.id()));
    }
}
