package dev.ringfence.json;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An RFC 9457 problem document (SC-3). It lives this low because authentication answers with one before the API runs.
 *
 * @param type names the kind of problem; one per code
 * @param title the code in words
 * @param status the HTTP status
 * @param code stable code, upper case
 * @param detail what happened, for people; no secret, no exception text
 * @param errors what is wrong with the body, if that is the problem
 * @param correlationId the workflow (EV-4), where it is known
 */
public record ProblemDocument(
        String type,
        String title,
        int status,
        String code,
        String detail,
        @Nullable List<FieldError> errors,
        @Nullable String correlationId) {

    /** The media type of {@link #bytes()}. */
    public static final String MEDIA_TYPE = "application/problem+json";

    public static ProblemDocument of(
            int status, String code, String detail, List<FieldError> errors, @Nullable String correlationId) {
        String words = code.toLowerCase(Locale.ROOT).replace('_', ' ');
        String title = words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
        return new ProblemDocument(
                "urn:ringfence:problem:" + words.replace(' ', '-'),
                title,
                status,
                code,
                detail,
                errors.isEmpty() ? null : errors,
                correlationId);
    }

    /** The document in UTF-8. */
    public byte[] bytes() {
        return StrictJson.write(this);
    }
}
