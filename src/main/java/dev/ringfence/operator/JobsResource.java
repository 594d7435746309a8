package dev.ringfence.operator;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.PathIds;
import dev.ringfence.api.Responses;
import dev.ringfence.security.Roles;
import jakarta.annotation.security.RolesAllowed;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Response;

/** {@code GET /apps/{app}/jobs/{id}}: how far an operator's work is. */
@Path("/apps/{app}/jobs/{job}")
@Produces(Responses.JSON)
@RequestScoped
public class JobsResource {

    @Inject
    JobRepository jobs;

    /** One job. */
    @GET
    @RolesAllowed({Roles.CLIENT, Roles.OPERATOR, Roles.AUDITOR, Roles.ADMIN})
    public Response get(@PathParam("app") String app, @PathParam("job") String job) {
        return jobs.find(PathIds.id(app), PathIds.id(job))
                .map(found -> Responses.json(200, found))
                .orElseThrow(ApiProblem::notFound);
    }
}
