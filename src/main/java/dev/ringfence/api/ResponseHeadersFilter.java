package dev.ringfence.api;

import dev.ringfence.security.SecurityHeaders;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.ext.Provider;

/** Puts the correlation id (EV-4) and the security headers (SC-3) on every answer. */
@Provider
@ApplicationScoped
public class ResponseHeadersFilter implements ContainerResponseFilter {

    @Inject
    RequestContext context;

    @Override
    public void filter(ContainerRequestContext request, ContainerResponseContext response) {
        // An answer that was made long after the request, by another thread, brings it along: the context is gone
        // there.
        if (!response.getHeaders().containsKey(CorrelationId.HEADER)) {
            response.getHeaders()
                    .putSingle(CorrelationId.HEADER, context.correlationId().value());
        }
        SecurityHeaders.API.forEach(response.getHeaders()::putSingle);
    }
}
