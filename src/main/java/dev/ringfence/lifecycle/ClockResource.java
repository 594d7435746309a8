package dev.ringfence.lifecycle;

import dev.ringfence.api.Responses;
import dev.ringfence.security.Roles;
import dev.ringfence.time.SkewMonitor;
import jakarta.annotation.security.RolesAllowed;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Response;

/** {@code GET /clock}: the database's time and how far this server's clock may be from it (LC-6). */
@Path("/clock")
@Produces(Responses.JSON)
@RequestScoped
public class ClockResource {

    @Inject
    SkewMonitor skew;

    @GET
    @RolesAllowed({Roles.CLIENT, Roles.OPERATOR, Roles.AUDITOR, Roles.ADMIN})
    public Response clock() {
        return Responses.json(200, ClockView.of(skew.current()));
    }
}
