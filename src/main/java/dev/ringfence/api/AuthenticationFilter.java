package dev.ringfence.api;

import dev.ringfence.security.ApiKeyMechanism;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.PreMatching;
import jakarta.ws.rs.ext.Provider;
import java.util.regex.Pattern;

/**
 * Refuses whoever is not authenticated, also for paths that do not exist (SC-1). Open is only the inbox, whose senders
 * sign instead.
 */
@Provider
@PreMatching
@Priority(Priorities.AUTHENTICATION)
@ApplicationScoped
public class AuthenticationFilter implements ContainerRequestFilter {

    private static final Pattern INBOX = Pattern.compile("/?inbox/[^/]+/?");

    @Inject
    RequestContext context;

    @Inject
    HttpServletRequest servletRequest;

    @Override
    public void filter(ContainerRequestContext request) {
        if (isSignedInstead(request)) {
            return;
        }
        if (servletRequest.getAttribute(ApiKeyMechanism.UNAVAILABLE) != null) {
            throw ApiProblem.unavailable("UNAVAILABLE", "Keys cannot be checked at the moment.");
        }
        context.caller();
    }

    private static boolean isSignedInstead(ContainerRequestContext request) {
        return request.getMethod().equals("POST")
                && INBOX.matcher(request.getUriInfo().getPath()).matches();
    }
}
