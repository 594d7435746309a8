package dev.ringfence.apps;

import dev.ringfence.security.ApiKeyMechanism;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Specializes;
import jakarta.security.enterprise.AuthenticationStatus;
import jakarta.security.enterprise.authentication.mechanism.http.HttpMessageContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Instant;

/** Deployed with the WAR by {@link ApiSecurityIT}: tells what was known about a request when authentication began. */
@Specializes
@ApplicationScoped
public class AuthenticationProbe extends ApiKeyMechanism {

    static final String CAPTURED = "Test-Captured";
    static final String BEGUN = "Test-Authentication-Begun";

    @Override
    public AuthenticationStatus validateRequest(
            HttpServletRequest request, HttpServletResponse response, HttpMessageContext context) {
        response.setHeader(CAPTURED, String.valueOf(request.getAttribute("dev.ringfence.receivedAt")));
        response.setHeader(BEGUN, Instant.now().toString());
        return super.validateRequest(request, response, context);
    }
}
