package dev.ringfence.recording;

import dev.ringfence.api.ApiProblem;
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
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response;
import org.jspecify.annotations.Nullable;

/** {@code POST /apps/{app}/tenants/{tenant}/events}: records 1 to 50 integration events. */
@Path("/apps/{app}/tenants/{tenant}/events")
@Consumes(Responses.JSON)
@Produces(Responses.JSON)
@RequestScoped
public class EventsResource {
    @Inject
    RecordingRequests requests;

    @Inject
    Recorder recorder;

    @Inject
    RequestFacts facts;

    /** Records the events, or only checks them. */
    @POST
    @RolesAllowed({Roles.CLIENT, Roles.ADMIN})
    public Response post(
            @PathParam("app") String app,
            @PathParam("tenant") String tenant,
            @QueryParam("dryRun") @Nullable String dryRun,
            @HeaderParam("Idempotency-Key") @Nullable String key,
            byte[] body) {
        boolean dry = flag(dryRun);
        RecordingRequests.Body read = requests.read(body, "events");
        Submission submission = new Submission(read.events(), null);
        TenantRequest request = facts.tenantRequest(TenantRef.ofPath(app, tenant), read.document());
        return BoundedWaits.answer(() -> dry
                ? Responses.json(200, recorder.check(request, facts.origin(), submission))
                : recorder.record(request, facts.origin(), facts.posted(key, body), submission)
                        .toResponse());
    }

    private static boolean flag(@Nullable String dryRun) {
        if (dryRun == null || dryRun.equals("false")) {
            return false;
        }
        if (!dryRun.equals("true")) {
            throw ApiProblem.invalid("/dryRun", "NOT_ALLOWED", "the parameter dryRun is true or false");
        }
        return true;
    }
}
