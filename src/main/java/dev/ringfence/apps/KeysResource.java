package dev.ringfence.apps;

import dev.ringfence.api.JsonRequests;
import dev.ringfence.api.Page;
import dev.ringfence.api.PageLimit;
import dev.ringfence.api.PathIds;
import dev.ringfence.api.Responses;
import dev.ringfence.api.TimeCursor;
import dev.ringfence.security.ApiKey;
import dev.ringfence.security.ApiKeyRepository;
import dev.ringfence.security.Roles;
import jakarta.annotation.security.RolesAllowed;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
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

/** {@code /apps/{app}/keys}: API keys. A key issued here is always bound to the application; none becomes global. */
@Path("/apps/{app}/keys")
@RequestScoped
@Produces(Responses.JSON)
public class KeysResource {

    @Inject
    Keys keys;

    @Inject
    ApiKeyRepository repository;

    @Inject
    JsonRequests requests;

    /** Issues a key. */
    @POST
    @Consumes(Responses.JSON)
    @RolesAllowed(Roles.ADMIN)
    public Response issue(
            @PathParam("app") String app, @HeaderParam("Idempotency-Key") @Nullable String key, byte[] raw) {
        return keys.issue(PathIds.id(app), key, raw, requests.body(raw, "key")).toResponse();
    }

    /** Lists the application's keys, revoked ones included. */
    @GET
    @RolesAllowed({Roles.OPERATOR, Roles.AUDITOR, Roles.ADMIN})
    public Response list(
            @PathParam("app") String app,
            @QueryParam("cursor") @Nullable String cursor,
            @QueryParam("limit") @Nullable String limit) {
        TimeCursor after = TimeCursor.parse(cursor);
        int size = PageLimit.parse(limit);
        List<ApiKey> rows = repository.list(
                PathIds.id(app), after == null ? null : after.at(), after == null ? null : after.uuid(), size + 1);
        return Responses.json(
                200,
                Page.of(rows, size, key -> TimeCursor.of(key.createdAt(), key.id()))
                        .map(KeyView::of));
    }

    /** Revokes a key: 204, also where it is revoked already. */
    @DELETE
    @Path("/{key}")
    @RolesAllowed(Roles.ADMIN)
    public Response revoke(@PathParam("app") String app, @PathParam("key") String key) {
        keys.revoke(PathIds.id(app), PathIds.id(key));
        return Response.noContent().build();
    }
}
