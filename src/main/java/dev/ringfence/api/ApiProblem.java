package dev.ringfence.api;

import dev.ringfence.json.FieldError;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * An answer that refuses a request (SC-3): status, stable code, fixed text. Thrown inside a transaction it rolls it back.
 * It carries no stack trace, as it is an expected answer and not a fault.
 */
public final class ApiProblem extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;
    private final String detail;
    private final transient List<FieldError> errors;
    private final transient Map<String, String> headers;

    public ApiProblem(int status, String code, String detail, List<FieldError> errors, Map<String, String> headers) {
        super(status + " " + code + ": " + detail, null, false, false);
        this.status = status;
        this.code = code;
        this.detail = detail;
        this.errors = List.copyOf(errors);
        this.headers = Map.copyOf(headers);
    }

    public static ApiProblem of(int status, String code, String detail) {
        return new ApiProblem(status, code, detail, List.of(), Map.of());
    }

    /** 401: no key, or none that is valid. */
    public static ApiProblem unauthenticated() {
        return of(401, "UNAUTHENTICATED", "A valid API key is required.").with("WWW-Authenticate", "Bearer");
    }

    /** 403: the key's roles do not allow this. */
    public static ApiProblem forbidden() {
        return of(403, "FORBIDDEN", "The roles of this key do not allow this operation.");
    }

    /** 404: also for everything that belongs to another application. */
    public static ApiProblem notFound() {
        return of(404, "NOT_FOUND", "There is no such resource.");
    }

    /** 409 with that code. */
    public static ApiProblem conflict(String code, String detail) {
        return of(409, code, detail);
    }

    /** 422 {@code INVALID} with what is wrong in the body. */
    public static ApiProblem invalid(List<FieldError> errors) {
        return new ApiProblem(422, "INVALID", "The request is not valid.", errors, Map.of());
    }

    /** 422 {@code INVALID} for one place in the body. */
    public static ApiProblem invalid(String pointer, String code, String detail) {
        return invalid(List.of(new FieldError(pointer, code, detail)));
    }

    /** 422 with a code of its own. */
    public static ApiProblem unprocessable(String code, String detail) {
        return of(422, code, detail);
    }

    /** 413: the body is larger than the limit. */
    public static ApiProblem bodyTooLarge(long limit) {
        return of(413, "BODY_TOO_LARGE", "The body has more than " + limit + " bytes.");
    }

    /** 429 with {@code Retry-After} in seconds. */
    public static ApiProblem tooMany(String code, String detail, long retryAfterSeconds) {
        return of(429, code, detail).with("Retry-After", Long.toString(retryAfterSeconds));
    }

    /** 503 with that code; the client may try again soon. */
    public static ApiProblem unavailable(String code, String detail) {
        return of(503, code, detail).with("Retry-After", "1");
    }

    /** The same problem, found at one place of the body: an RFC 6901 pointer. */
    public ApiProblem at(String pointer) {
        return new ApiProblem(status, code, detail, List.of(new FieldError(pointer, code, detail)), headers);
    }

    /** The same problem with one more response header. */
    public ApiProblem with(String header, String value) {
        Map<String, String> more = new HashMap<>(headers);
        more.put(header, value);
        return new ApiProblem(status, code, detail, errors, more);
    }

    public int status() {
        return status;
    }

    public String code() {
        return code;
    }

    public String detail() {
        return detail;
    }

    public List<FieldError> errors() {
        return errors;
    }

    public Map<String, String> headers() {
        return headers;
    }
}
