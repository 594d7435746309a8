package dev.ringfence.api;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.PreMatching;
import jakarta.ws.rs.ext.Provider;
import java.util.List;
import java.util.regex.Pattern;

/** Refuses an {@code Accept} header whose weights are none: RESTEasy fails over them as if the fault were its own. */
@Provider
@PreMatching
@ApplicationScoped
public class AcceptFilter implements ContainerRequestFilter {

    private static final Pattern BAD_WEIGHT =
            Pattern.compile(";\\s*[qQ]\\s*=(?!\\s*(0(\\.[0-9]{0,3})?|1(\\.0{0,3})?)\\s*([;,]|$))");

    @Override
    public void filter(ContainerRequestContext request) {
        List<String> accept = request.getHeaders().get("Accept");
        if (accept != null
                && accept.stream().anyMatch(value -> BAD_WEIGHT.matcher(value).find())) {
            throw ApiProblem.of(400, "BAD_REQUEST", "A weight in the header Accept goes from 0 to 1.");
        }
    }
}
