package dev.ringfence.apps;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.PathIds;
import dev.ringfence.api.RequestContext;
import dev.ringfence.security.Caller;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.ext.Provider;
import java.util.UUID;

/**
 * Hides every application from the keys of all others (SC-1): whatever has {@code {app}} in its path is 404 for them, as
 * for an application that does not exist. Comes before the roles, so that these tell nothing either.
 */
@Provider
@Priority(Priorities.AUTHORIZATION - 100)
@ApplicationScoped
public class AppScopeFilter implements ContainerRequestFilter {

    @Inject
    RequestContext request;

    @Inject
    AppRepository apps;

    @Override
    public void filter(ContainerRequestContext context) {
        String named = context.getUriInfo().getPathParameters().getFirst("app");
        if (named == null) {
            return;
        }
        UUID app = PathIds.id(named);
        Caller caller = request.caller();
        if (!caller.maySee(app) || (caller.global() && apps.find(app).isEmpty())) {
            throw ApiProblem.notFound();
        }
    }
}
