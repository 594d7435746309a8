package dev.ringfence.recording;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.Responses;
import dev.ringfence.lifecycle.LifecycleRepository;
import dev.ringfence.lifecycle.TenantRef;
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
import org.jspecify.annotations.Nullable;

/** {@code …/tenants/{tenant}/operations}: aggregate and events in one transaction, with a durable receipt. */
@Path("/apps/{app}/tenants/{tenant}/operations")
@Produces(Responses.JSON)
@RequestScoped
public class OperationsResource {
    @Inject
    RecordingRequests requests;

    @Inject
    Operations operations;

    @Inject
    OperationReceiptsRepository receipts;

    @Inject
    LifecycleRepository lifecycle;

    @Inject
    RequestFacts facts;

    /** Runs an operation; a repeated one is answered with the receipt of its first run. */
    @POST
    @Consumes(Responses.JSON)
    @RolesAllowed({Roles.CLIENT, Roles.ADMIN})
    public Response post(
            @PathParam("app") String app,
            @PathParam("tenant") String tenant,
            @QueryParam("dryRun") @Nullable String dryRun,
            @HeaderParam("Idempotency-Key") @Nullable String key,
            byte[] body) {
        if (dryRun != null && !dryRun.equals("false")) {
            throw ApiProblem.invalid("/dryRun", "NOT_AVAILABLE", "operations have no dry run");
        }
        RecordingRequests.Body read = requests.read(body, "operation");
        Operation operation = Operation.of(read);
        TenantRequest request = facts.tenantRequest(TenantRef.ofPath(app, tenant), read.document());
        return BoundedWaits.answer(() -> operations
                .run(request, facts.origin(), facts.posted(key, body), operation)
                .toResponse());
    }

    /** The receipt kept for an operation. */
    @GET
    @Path("{operation}")
    @RolesAllowed({Roles.CLIENT, Roles.OPERATOR, Roles.AUDITOR, Roles.ADMIN})
    public Response get(
            @PathParam("app") String app,
            @PathParam("tenant") String tenant,
            @PathParam("operation") String operation) {
        return lifecycle
                .find(TenantRef.ofPath(app, tenant))
                .flatMap(row -> receipts.find(row.tenantId(), operation))
                .map(retained -> Responses.json(200, ReceiptAnswer.replayed(retained.receipt())))
                .orElseThrow(ApiProblem::notFound);
    }
}
