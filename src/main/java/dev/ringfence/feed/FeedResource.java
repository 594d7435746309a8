package dev.ringfence.feed;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.JsonRequests;
import dev.ringfence.api.PathIds;
import dev.ringfence.api.RequestContext;
import dev.ringfence.api.Responses;
import dev.ringfence.json.ProblemDocument;
import dev.ringfence.json.StrictJson;
import dev.ringfence.outbox.StorageException;
import dev.ringfence.security.Roles;
import jakarta.annotation.security.RolesAllowed;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.Response;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code /apps/{app}/subscriptions/{id}/feed} and {@code …/cursor}: fetch, and say what has arrived (PL-1, PL-3). */
@Path("/apps/{app}/subscriptions/{id}")
@Produces(Responses.JSON)
@RequestScoped
public class FeedResource {

    @Inject
    Feeds feeds;

    @Inject
    Advances advances;

    @Inject
    FeedPolls polls;

    @Inject
    JsonRequests requests;

    @Inject
    RequestContext context;

    /** A page of what waits. Where there is nothing and the request may wait, it is answered later, by another thread. */
    @GET
    @Path("feed")
    @RolesAllowed({Roles.CLIENT, Roles.AUDITOR, Roles.ADMIN})
    public void feed(
            @PathParam("app") String app,
            @PathParam("id") String id,
            @QueryParam("cursor") @Nullable String cursor,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("waitMs") @Nullable String waitMs,
            @Suspended AsyncResponse answer) {
        FeedQuery query = FeedQuery.of(app, id, cursor, limit, waitMs);
        Feeds.Read read = bounded(() -> feeds.read(query));
        if (!read.empty() || query.patience().isZero()) {
            answer.resume(shown(read));
        } else {
            polls.add(query, read, answer, context.correlationId().value());
        }
    }

    private Response shown(Feeds.Read read) {
        Response page = Responses.json(200, read.page());
        if (!feeds.mayBeShown(read)) {
            throw ApiProblem.unavailable("UNAVAILABLE", "The page took too long. Try again.");
        }
        return page;
    }

    private static <T> T bounded(Supplier<T> work) {
        try {
            return work.get();
        } catch (StorageException e) {
            throw e.waitedTooLong()
                    ? ApiProblem.unavailable("UNAVAILABLE", "Another transaction holds what this one needs. Try again.")
                    : e;
        }
    }

    /** Moves the cursor: everything up to {@code to} has arrived. */
    @PUT
    @Path("cursor")
    @Consumes(Responses.JSON)
    @RolesAllowed({Roles.CLIENT, Roles.ADMIN})
    public Response advance(@PathParam("app") String app, @PathParam("id") String id, byte[] body) {
        JsonNode request = requests.body(body, "cursor");
        FeedCursor from = cursor(request, "from");
        FeedCursor to = cursor(request, "to");
        return response(bounded(() -> advances.advance(PathIds.id(app), PathIds.id(id), from, to)));
    }

    private static FeedCursor cursor(JsonNode request, String member) {
        try {
            return FeedCursor.parse(request.path(member).asText());
        } catch (ApiProblem invalid) {
            throw invalid.at("/" + member);
        }
    }

    private Response response(Advance outcome) {
        if (outcome instanceof Advance.Beaten beaten) {
            CursorMoved problem =
                    CursorMoved.to(beaten.stored(), context.correlationId().value());
            return Response.status(409)
                    .type(ProblemDocument.MEDIA_TYPE)
                    .entity(StrictJson.write(problem))
                    .build();
        }
        return Responses.json(200, outcome);
    }
}
