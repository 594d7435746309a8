package dev.ringfence.api;

import jakarta.annotation.Priority;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import java.util.Collections;
import java.util.Set;

/** Lets a request to one resource method pass if the caller has one of its roles. */
@Priority(Priorities.AUTHORIZATION)
final class RolesFilter implements ContainerRequestFilter {

    private final Set<String> allowed;
    private final RequestContext request;

    RolesFilter(Set<String> allowed, RequestContext request) {
        this.allowed = allowed;
        this.request = request;
    }

    @Override
    public void filter(ContainerRequestContext context) {
        if (Collections.disjoint(request.caller().roles(), allowed)) {
            throw ApiProblem.forbidden();
        }
    }
}
