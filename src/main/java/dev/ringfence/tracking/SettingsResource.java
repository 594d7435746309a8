package dev.ringfence.tracking;

import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.JsonRequests;
import dev.ringfence.api.RequestContext;
import dev.ringfence.api.Responses;
import dev.ringfence.lifecycle.TenantRef;
import dev.ringfence.recording.RawSlices;
import dev.ringfence.recording.RequestFacts;
import dev.ringfence.recording.TenantStart;
import dev.ringfence.security.Roles;
import jakarta.annotation.security.RolesAllowed;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.EntityTag;
import jakarta.ws.rs.core.Response;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** {@code …/tenants/{tenant}/settings}: the save commits first, then its milestone may be recorded (RC-2). */
@Path("/apps/{app}/tenants/{tenant}/settings")
@Produces(Responses.JSON)
@RequestScoped
public class SettingsResource {
    private static final Logger LOG = System.getLogger(SettingsResource.class.getName());

    @Inject
    JsonRequests requests;

    @Inject
    RequestFacts facts;

    @Inject
    RequestContext context;

    @Inject
    SettingsRepository settings;

    @Inject
    SettingsSaves saves;

    @Inject
    SettingsMilestone milestone;

    /** The settings as they stand; {@code ETag} is their revision. */
    record View(long revision, @JsonRawValue String settings) {}

    /** Answer to a save. */
    record Answer(long revision, boolean changed, Tracking tracking) {}

    /** The tenant's settings. */
    @GET
    @RolesAllowed({Roles.CLIENT, Roles.OPERATOR, Roles.AUDITOR, Roles.ADMIN})
    public Response get(@PathParam("app") String app, @PathParam("tenant") String tenant) {
        StoredSettings stored = settings.find(TenantRef.ofPath(app, tenant))
                .filter(StoredSettings::present)
                .orElseThrow(ApiProblem::notFound);
        return tagged(new View(stored.revision(), stored.text()), stored.revision());
    }

    /** Saves the settings. */
    @PUT
    @Consumes(Responses.JSON)
    @RolesAllowed({Roles.OPERATOR, Roles.ADMIN})
    public Response put(
            @PathParam("app") String app,
            @PathParam("tenant") String tenant,
            @HeaderParam("If-Match") @Nullable String ifMatch,
            byte[] body) {
        TenantRef ref = TenantRef.ofPath(app, tenant);
        JsonNode document = requests.body(body, "settings");
        IfMatch condition = IfMatch.parse(ifMatch);
        TenantStart start = facts.start(document);
        start.callerStart().refuseHalf();
        String text = Objects.requireNonNull(RawSlices.of(body).at("/settings")).text();
        SettingsSaves.Saved saved = saves.save(ref, start, condition, document.get("settings"), text);
        return tagged(new Answer(saved.revision(), saved.changed(), track(ref, document, saved)), saved.revision());
    }

    /** The save is committed: whatever happens here, it stands. */
    private Tracking track(TenantRef tenant, JsonNode document, SettingsSaves.Saved saved) {
        if (!saved.changed()) {
            return Tracking.not("UNCHANGED");
        }
        if (!document.has("epoch")) {
            return Tracking.not("EPOCH_MISSING");
        }
        try {
            return milestone.record(
                    facts.tenantRequest(tenant, document),
                    facts.origin(),
                    saved,
                    context.caller().keyId().toString());
        } catch (ApiProblem refused) {
            return Tracking.not(refused.code());
        } catch (RuntimeException failed) {
            LOG.log(Level.WARNING, "a save is not tracked: {0}", failed.toString());
            return Tracking.not("UNAVAILABLE");
        }
    }

    private static Response tagged(Object answer, long revision) {
        return Response.fromResponse(Responses.json(200, answer))
                .tag(new EntityTag(Long.toString(revision)))
                .build();
    }
}
