package dev.ringfence.api;

import dev.ringfence.security.Caller;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What is known about the HTTP request in hand. Not usable outside one. */
@RequestScoped
public class RequestContext {

    private static final String REQUEST_ID = "dev.ringfence.requestId";
    private static final String CORRELATION_ID = "dev.ringfence.correlationId";

    @Inject
    HttpServletRequest request;

    @Inject
    CorrelationIds correlationIds;

    /**
     * When the request came in, before authentication (LC-3); microseconds.
     *
     * @throws IllegalStateException where nobody captured it: then nothing may be derived from it either
     */
    public Instant receivedAt() {
        if (request.getAttribute(RequestStartListener.ATTRIBUTE) instanceof Instant at) {
            return at;
        }
        throw new IllegalStateException("the start of this request was not captured");
    }

    /**
     * Who sent it.
     *
     * @throws ApiProblem 401 where nobody is authenticated
     */
    public Caller caller() {
        Caller caller = callerOrNull();
        if (caller == null) {
            throw ApiProblem.unauthenticated();
        }
        return caller;
    }

    /**
     * Lets only keys pass that are bound to no application: what follows concerns the installation.
     *
     * @throws ApiProblem 403 for a key of an application, 401 where nobody is authenticated
     */
    public void requireGlobalKey() {
        if (!caller().global()) {
            throw ApiProblem.forbidden();
        }
    }

    /** Who sent it, or {@code null} where no key was used. */
    public @Nullable Caller callerOrNull() {
        return request.getAttribute(Caller.ATTRIBUTE) instanceof Caller caller ? caller : null;
    }

    /** The workflow (EV-4): the client's, if it proves to be issued for the application in hand, or else a fresh one. */
    public CorrelationId correlationId() {
        if (request.getAttribute(CORRELATION_ID) instanceof CorrelationId known) {
            return known;
        }
        UUID app = app();
        CorrelationId id = correlationIds
                .accept(app, request.getHeader(CorrelationId.HEADER))
                .orElseGet(() -> correlationIds.issue(app));
        request.setAttribute(CORRELATION_ID, id);
        return id;
    }

    /** Names this one request, and the cause of what it records where the client names none (EV-3). */
    public String requestId() {
        if (request.getAttribute(REQUEST_ID) instanceof String known) {
            return known;
        }
        String id = "req_" + UUID.randomUUID();
        request.setAttribute(REQUEST_ID, id);
        return id;
    }

    /** The W3C trace context that came with the request (SG-5), if it is well-formed. */
    public @Nullable String traceparent() {
        return TraceParent.accept(request.getHeader(TraceParent.HEADER));
    }

    /** Path and query as sent, for what is kept per path (RC-12): with other parameters it is another request. */
    public String path() {
        String query = request.getQueryString();
        return query == null ? request.getRequestURI() : request.getRequestURI() + "?" + query;
    }

    private @Nullable UUID app() {
        UUID named = PathIds.appOf(request.getRequestURI());
        if (named != null) {
            return named;
        }
        Caller caller = callerOrNull();
        return caller == null ? null : caller.appId();
    }
}
