package dev.ringfence.api;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.PreMatching;
import jakarta.ws.rs.ext.Provider;

/** Refuses the NUL character in paths and queries: PostgreSQL can neither store it nor compare with it. */
@Provider
@PreMatching
@ApplicationScoped
public class UriTextFilter implements ContainerRequestFilter {

    @Override
    public void filter(ContainerRequestContext request) {
        if (request.getUriInfo().getRequestUri().toString().contains("%00")) {
            throw ApiProblem.invalid("", "NUL_CHARACTER", "the address holds the character U+0000");
        }
    }
}
