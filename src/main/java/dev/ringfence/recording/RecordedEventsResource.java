package dev.ringfence.recording;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.Cursor;
import dev.ringfence.api.Page;
import dev.ringfence.api.PageLimit;
import dev.ringfence.api.PathIds;
import dev.ringfence.api.Responses;
import dev.ringfence.lifecycle.LifecycleRepository;
import dev.ringfence.lifecycle.TenantRef;
import dev.ringfence.security.Roles;
import jakarta.annotation.security.RolesAllowed;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** {@code GET /apps/{app}/events}: what was recorded, newest first, and one event with its bytes and receipts. */
@Path("/apps/{app}/events")
@Produces(Responses.JSON)
@RequestScoped
public class RecordedEventsResource {
    private static final int RECEIPT_CURSOR_PARTS = 2;

    @Inject
    EventSearchRepository search;

    @Inject
    RecordedEventRepository events;

    @Inject
    LifecycleRepository lifecycles;

    /** Searches the app's events. */
    @GET
    @RolesAllowed({Roles.CLIENT, Roles.OPERATOR, Roles.AUDITOR, Roles.ADMIN})
    public Response search(@PathParam("app") String app, @BeanParam EventFilterParams params) {
        UUID appId = PathIds.id(app);
        EventQuery query = params.query(appId);
        String tenant = params.tenant();
        if (tenant == null) {
            return page(query);
        }
        return lifecycles
                .find(TenantRef.ofQuery(appId, tenant))
                .map(row -> page(query.ofTenant(row.tenantId())))
                .orElseGet(() -> Responses.json(200, Page.empty()));
    }

    /** One event: envelope, exact bytes, deliveries. */
    @GET
    @Path("{event}")
    @RolesAllowed({Roles.CLIENT, Roles.OPERATOR, Roles.AUDITOR, Roles.ADMIN})
    public Response get(@PathParam("app") String app, @PathParam("event") String event) {
        return Responses.json(200, detail(app, event));
    }

    /** What receivers acknowledged of the event. */
    @GET
    @Path("{event}/receipts")
    @RolesAllowed({Roles.CLIENT, Roles.OPERATOR, Roles.AUDITOR, Roles.ADMIN})
    public Response receipts(
            @PathParam("app") String app,
            @PathParam("event") String event,
            @QueryParam("cursor") @Nullable String cursorText,
            @QueryParam("limit") @Nullable String limitText) {
        int limit = PageLimit.parse(limitText);
        Cursor cursor = Cursor.parse(cursorText, RECEIPT_CURSOR_PARTS);
        List<NaturalReceipt> rows = events.receipts(
                detail(app, event).ordinal(),
                cursor == null ? 0 : cursor.number(0),
                cursor == null ? 0 : cursor.number(1),
                limit);
        return Responses.json(200, Page.of(rows, limit, NaturalReceipt::cursor));
    }

    private Response page(EventQuery query) {
        return Responses.json(
                200,
                Page.of(search.find(query), query.limit(), row -> row.position().cursor()));
    }

    private EventDetail detail(String app, String event) {
        return events.find(PathIds.id(app), event).orElseThrow(ApiProblem::notFound);
    }
}
