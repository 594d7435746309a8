package dev.ringfence.api;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.ext.Provider;

/** Refuses a body that calls itself anything at all ({@code *}{@code /*}): to JAX-RS that matches every type, yet it says none. */
@Provider
@ApplicationScoped
public class ContentTypeFilter implements ContainerRequestFilter {

    @Override
    public void filter(ContainerRequestContext request) {
        MediaType type = request.getMediaType();
        if (type != null && (type.isWildcardType() || type.isWildcardSubtype())) {
            throw ProblemTranslator.of(415).orElseThrow();
        }
    }
}
