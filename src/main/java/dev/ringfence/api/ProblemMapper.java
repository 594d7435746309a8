package dev.ringfence.api;

import dev.ringfence.json.ProblemDocument;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;
import java.util.UUID;

/**
 * The last word on every request that fails (SC-3): a problem document, and nothing of the exception. What nobody
 * expected is 500 {@code INTERNAL} with a reference that leads to the log entry.
 */
@Provider
@ApplicationScoped
public class ProblemMapper implements ExceptionMapper<Throwable> {

    private static final System.Logger LOG = System.getLogger(ProblemMapper.class.getName());

    @Inject
    RequestContext request;

    @Override
    public Response toResponse(Throwable failure) {
        if (failure instanceof WebApplicationException answer
                && answer.getResponse().getStatus() < 400) {
            return answer.getResponse();
        }
        return response(ProblemTranslator.translate(failure).orElseGet(() -> unexpected(failure)));
    }

    private Response response(ApiProblem problem) {
        ProblemDocument document = ProblemDocument.of(
                problem.status(),
                problem.code(),
                problem.detail(),
                problem.errors(),
                request.correlationId().value());
        Response.ResponseBuilder answer = Response.status(problem.status())
                .type(ProblemDocument.MEDIA_TYPE)
                .entity(document.bytes());
        problem.headers().forEach(answer::header);
        return answer.build();
    }

    private static ApiProblem unexpected(Throwable failure) {
        String reference = UUID.randomUUID().toString();
        LOG.log(System.Logger.Level.ERROR, "Request failed, reference " + reference, failure);
        return ApiProblem.of(500, "INTERNAL", "Something went wrong here. Reference: " + reference);
    }
}
