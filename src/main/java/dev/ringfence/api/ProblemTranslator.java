package dev.ringfence.api;

import dev.ringfence.json.BadJson;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Response;
import java.util.Map;
import java.util.Optional;

/** Finds the problem in whatever a request ended with. */
final class ProblemTranslator {

    private static final int MAX_CAUSES = 20;

    private ProblemTranslator() {}

    /** The problem that the failure, or something it wraps, stands for; empty for what nobody expected. */
    static Optional<ApiProblem> translate(Throwable failure) {
        Throwable cause = failure;
        for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
            if (cause instanceof ApiProblem problem) {
                return Optional.of(problem);
            }
            if (cause instanceof BadJson bad) {
                return Optional.of(of(bad));
            }
            cause = cause.getCause();
        }
        return failure instanceof WebApplicationException refusal
                ? of(refusal.getResponse())
                : DatabaseOutage.behind(failure).map(outage -> ApiProblem.unavailable("UNAVAILABLE", outage.detail()));
    }

    static ApiProblem of(BadJson bad) {
        return switch (bad.kind()) {
            case TOO_LARGE -> ApiProblem.bodyTooLarge(JsonRequests.MAX_BODY_BYTES);
            case MALFORMED ->
                new ApiProblem(
                        400, "MALFORMED_JSON", "The body is not an acceptable JSON document.", bad.errors(), Map.of());
            case UNSUPPORTED_VALUE -> ApiProblem.invalid(bad.errors());
        };
    }

    private static Optional<ApiProblem> of(Response refusal) {
        return refusal.getStatus() == 405 ? Optional.of(methodNotAllowed(refusal)) : of(refusal.getStatus());
    }

    /** The problem of a status that a server gives by itself. */
    static Optional<ApiProblem> of(int status) {
        return switch (status) {
            case 400 -> Optional.of(ApiProblem.of(400, "BAD_REQUEST", "The request cannot be read."));
            case 401 -> Optional.of(ApiProblem.unauthenticated());
            case 403 -> Optional.of(ApiProblem.forbidden());
            case 404 -> Optional.of(ApiProblem.notFound());
            case 406 -> Optional.of(ApiProblem.of(406, "NOT_ACCEPTABLE", "Answers are application/json in UTF-8."));
            case 413 -> Optional.of(ApiProblem.bodyTooLarge(JsonRequests.MAX_BODY_BYTES));
            case 415 ->
                Optional.of(ApiProblem.of(
                        415, "UNSUPPORTED_MEDIA_TYPE", "The body must be sent as Content-Type: application/json."));
            default -> Optional.empty();
        };
    }

    private static ApiProblem methodNotAllowed(Response refusal) {
        ApiProblem problem = ApiProblem.of(405, "METHOD_NOT_ALLOWED", "This resource does not have that method.");
        String allow = refusal.getHeaderString("Allow");
        return allow == null ? problem : problem.with("Allow", allow);
    }
}
