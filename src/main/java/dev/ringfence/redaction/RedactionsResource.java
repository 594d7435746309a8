package dev.ringfence.redaction;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.JsonRequests;
import dev.ringfence.api.Page;
import dev.ringfence.api.PageLimit;
import dev.ringfence.api.PathIds;
import dev.ringfence.api.RequestContext;
import dev.ringfence.api.Responses;
import dev.ringfence.api.TimeCursor;
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
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** {@code /apps/{app}/redactions/{id}}: status, markers, reconciliation. */
@Path("/apps/{app}/redactions/{redaction}")
@RequestScoped
@Produces(Responses.JSON)
public class RedactionsResource {

    @Inject
    Redactions redactions;

    @Inject
    MarkerRepository markers;

    @Inject
    JsonRequests requests;

    @Inject
    RequestContext context;

    /** How far it is, and what is remotely uncertain (RD-2). */
    @GET
    @RolesAllowed({Roles.CLIENT, Roles.OPERATOR, Roles.AUDITOR, Roles.ADMIN})
    public Response status(@PathParam("app") String app, @PathParam("redaction") String redaction) {
        return Responses.json(200, RedactionView.of(redactions.of(PathIds.id(app), PathIds.id(redaction))));
    }

    /** The attempts whose remote end is, or was, unknown; oldest first. */
    @GET
    @Path("markers")
    @RolesAllowed({Roles.CLIENT, Roles.OPERATOR, Roles.AUDITOR, Roles.ADMIN})
    public Response markers(
            @PathParam("app") String app,
            @PathParam("redaction") String redaction,
            @QueryParam("cursor") @Nullable String cursor,
            @QueryParam("limit") @Nullable String limitText) {
        UUID id = redactions.of(PathIds.id(app), PathIds.id(redaction)).id();
        TimeCursor after = TimeCursor.parse(cursor);
        int limit = PageLimit.parse(limitText);
        List<Marker> rows =
                markers.list(id, after == null ? null : after.at(), after == null ? null : after.uuid(), limit + 1);
        return Responses.json(
                200, Page.of(rows, limit, marker -> TimeCursor.of(marker.startedAt(), marker.reservationId())));
    }

    /** Notes what was found at the remote end (AT-8). */
    @POST
    @Path("reconcile")
    @Consumes(Responses.JSON)
    @RolesAllowed({Roles.OPERATOR, Roles.ADMIN})
    public Response reconcile(
            @PathParam("app") String app,
            @PathParam("redaction") String redaction,
            @HeaderParam("Idempotency-Key") @Nullable String key,
            byte[] raw) {
        JsonNode body = requests.body(raw, "reconcile");
        List<UUID> reservations = new ArrayList<>();
        body.get("markers").forEach(marker -> reservations.add(UUID.fromString(marker.textValue())));
        return redactions
                .reconcile(
                        PathIds.id(app),
                        PathIds.id(redaction),
                        new ReconcileOrder(
                                context.caller(),
                                reservations,
                                Finding.valueOf(body.get("finding").textValue()),
                                body.get("reason").textValue(),
                                key,
                                context.path(),
                                raw))
                .toResponse();
    }
}
