package dev.ringfence.api;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.PreMatching;
import jakarta.ws.rs.ext.Provider;

/**
 * Bounds every body before anybody reads it (SC-3). The servers' own limits answer with an empty 400, so ours come
 * first: by the announced length, and while reading where none is announced.
 */
@Provider
@PreMatching
@ApplicationScoped
public class BodyLimitFilter implements ContainerRequestFilter {

    @Override
    public void filter(ContainerRequestContext request) {
        String announced = request.getHeaderString("Content-Length");
        if (announced != null && tooLarge(announced)) {
            throw ApiProblem.bodyTooLarge(JsonRequests.MAX_BODY_BYTES);
        }
        if (request.hasEntity()) {
            request.setEntityStream(new LimitedInputStream(request.getEntityStream(), JsonRequests.MAX_BODY_BYTES));
        }
    }

    private static boolean tooLarge(String announced) {
        try {
            return Long.parseLong(announced) > JsonRequests.MAX_BODY_BYTES;
        } catch (NumberFormatException e) {
            return true;
        }
    }
}
