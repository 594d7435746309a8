package dev.ringfence.security;

import dev.ringfence.time.NanoClock;
import dev.ringfence.time.Seldom;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.security.enterprise.AuthenticationStatus;
import jakarta.security.enterprise.authentication.mechanism.http.HttpAuthenticationMechanism;
import jakarta.security.enterprise.authentication.mechanism.http.HttpMessageContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates {@code Authorization: Bearer <secret>} (SC-1). It only says who is calling; refusing those who may not is
 * the API's filters' task, which fail closed where a server never runs this mechanism.
 */
@ApplicationScoped
public class ApiKeyMechanism implements HttpAuthenticationMechanism {

    /** Set on the request where keys could not be looked up: nobody can tell then who is calling. */
    public static final String UNAVAILABLE = "dev.ringfence.authenticationUnavailable";

    private static final Pattern BEARER = Pattern.compile("(?i:bearer) +([!-~]{1,512})");
    private static final System.Logger LOG = System.getLogger(ApiKeyMechanism.class.getName());

    @Inject
    Authentication authentication;

    @Inject
    NanoClock nanos;

    /** Anybody who reaches the port can make this fail while the database is away. */
    private @Nullable Seldom line;

    @PostConstruct
    void begin() {
        line = new Seldom(nanos, Duration.ofSeconds(1));
    }

    @Override
    public AuthenticationStatus validateRequest(
            HttpServletRequest request, HttpServletResponse response, HttpMessageContext context) {
        Optional<Caller> caller = caller(request);
        if (caller.isEmpty()) {
            return context.doNothing();
        }
        request.setAttribute(Caller.ATTRIBUTE, caller.get());
        return context.notifyContainerAboutLogin(
                caller.get().keyId().toString(), caller.get().roles());
    }

    private Optional<Caller> caller(HttpServletRequest request) {
        String header = request.getHeader("Authorization");
        Matcher bearer = BEARER.matcher(header == null ? "" : header);
        if (!bearer.matches()) {
            return Optional.empty();
        }
        try {
            return authentication.authenticate(ApiKeySecret.of(bearer.group(1)));
        } catch (RuntimeException e) {
            if (line == null || line.now()) {
                LOG.log(System.Logger.Level.ERROR, "API keys cannot be looked up: {0}", rootCause(e));
            }
            request.setAttribute(UNAVAILABLE, true);
            return Optional.empty();
        }
    }

    private static String rootCause(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.toString();
    }
}
