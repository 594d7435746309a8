package dev.ringfence.api;

import dev.ringfence.json.ProblemDocument;
import dev.ringfence.security.SecurityHeaders;
import jakarta.inject.Inject;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.annotation.WebFilter;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;

/**
 * Turns the server's own error pages into problem documents (SC-3). A request whose address or headers cannot be decoded never comes as far as
 * the API's filters: the server answers it, in HTML.
 */
@WebFilter(urlPatterns = "/api/*", asyncSupported = true)
public class ProblemPagesFilter implements Filter {

    @Inject
    RequestContext context;

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        chain.doFilter(request, new WithoutPages((HttpServletResponse) response));
    }

    private final class WithoutPages extends HttpServletResponseWrapper {

        WithoutPages(HttpServletResponse response) {
            super(response);
        }

        @Override
        public void sendError(int status) throws IOException {
            answer(ProblemTranslator.of(status)
                    .orElseGet(() -> ApiProblem.of(status, "INTERNAL", "The request could not be answered.")));
        }

        @Override
        public void sendError(int status, String message) throws IOException {
            sendError(status);
        }

        private void answer(ApiProblem problem) throws IOException {
            String workflow = context.correlationId().value();
            ProblemDocument document =
                    ProblemDocument.of(problem.status(), problem.code(), problem.detail(), problem.errors(), workflow);
            resetBuffer();
            setStatus(problem.status());
            setContentType(ProblemDocument.MEDIA_TYPE);
            problem.headers().forEach(this::setHeader);
            SecurityHeaders.API.forEach(this::setHeader);
            setHeader(CorrelationId.HEADER, workflow);
            getOutputStream().write(document.bytes());
            getOutputStream().close();
        }
    }
}
