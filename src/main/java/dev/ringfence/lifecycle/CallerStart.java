package dev.ringfence.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ringfence.api.ApiProblem;
import dev.ringfence.time.Instants;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a caller says about the start of its own request: the optional pair {@code requestStartedAt, skewBoundMs} of a request
 * body (LC-5). Half a pair is kept as it came; {@link RequestStarts} refuses it after the tenant checks.
 */
public record CallerStart(@Nullable Instant at, @Nullable Duration bound) {

    /** Nothing said. */
    public static final CallerStart ABSENT = new CallerStart(null, null);

    /**
     * Reads the pair out of a request body whose schema was checked.
     *
     * @throws ApiProblem 422 {@code INVALID} where {@code requestStartedAt} is no RFC 3339 date-time
     */
    public static CallerStart in(JsonNode body) {
        JsonNode at = body.path("requestStartedAt");
        JsonNode bound = body.path("skewBoundMs");
        return new CallerStart(
                at.isTextual() ? instant("/requestStartedAt", at.textValue()) : null,
                bound.isNumber() ? Duration.ofMillis(bound.longValue()) : null);
    }

    /**
     * Refuses half a pair before anything else is done, where that is wanted.
     *
     * @throws ApiProblem 422 {@code INVALID}
     */
    public void refuseHalf() {
        if (at == null && bound != null) {
            throw ApiProblem.invalid("/requestStartedAt", "REQUIRED", "A bound needs the time that it bounds.");
        }
        if (at != null && bound == null) {
            throw ApiProblem.invalid("/skewBoundMs", "REQUIRED", "A time of the caller needs its bound.");
        }
    }

    static Instant instant(String pointer, String text) {
        Optional<Instant> read = Instants.parse(text);
        return read.orElseThrow(
                () -> ApiProblem.invalid(pointer, "BAD_FORMAT", "An RFC 3339 date-time with offset is required."));
    }
}
