package dev.ringfence.recording;

import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.Responses;
import dev.ringfence.lifecycle.LifecycleRepository;
import dev.ringfence.lifecycle.TenantRef;
import dev.ringfence.security.Roles;
import jakarta.annotation.security.RolesAllowed;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.EntityTag;
import jakarta.ws.rs.core.Request;
import jakarta.ws.rs.core.Response;
import java.time.Instant;

/** {@code GET …/tenants/{tenant}/aggregates/{type}/{id}}: the accepted state; the {@code ETag} is its version. */
@Path("/apps/{app}/tenants/{tenant}/aggregates/{type}/{id}")
@Produces(Responses.JSON)
@RequestScoped
public class AggregatesResource {
    @Inject
    AggregatesRepository aggregates;

    @Inject
    LifecycleRepository lifecycle;

    /** An aggregate as clients see it; the state is the text that was submitted. */
    record Answer(
            String type,
            String id,
            long version,
            @JsonRawValue String state,
            Instant createdAt,
            Instant updatedAt) {}

    /** The aggregate, or 304 where the client has that version. */
    @GET
    @RolesAllowed({Roles.CLIENT, Roles.OPERATOR, Roles.AUDITOR, Roles.ADMIN})
    public Response get(
            @PathParam("app") String app,
            @PathParam("tenant") String tenant,
            @PathParam("type") String type,
            @PathParam("id") String id,
            @Context Request request) {
        Aggregate aggregate = lifecycle
                .find(TenantRef.ofPath(app, tenant))
                .flatMap(row -> aggregates.find(new AggregateKey(row.tenantId(), type, id)))
                .orElseThrow(ApiProblem::notFound);
        EntityTag tag = new EntityTag(Long.toString(aggregate.version()));
        Response.ResponseBuilder unchanged = request.evaluatePreconditions(tag);
        return unchanged == null
                ? Response.fromResponse(Responses.json(200, answer(aggregate)))
                        .tag(tag)
                        .build()
                : unchanged.tag(tag).build();
    }

    private static Answer answer(Aggregate aggregate) {
        return new Answer(
                aggregate.type(),
                aggregate.id(),
                aggregate.version(),
                aggregate.state(),
                aggregate.createdAt(),
                aggregate.updatedAt());
    }
}
