package dev.ringfence.api;

import dev.ringfence.time.Instants;
import jakarta.ws.rs.QueryParam;
import java.time.Instant;
import java.util.Arrays;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The query parameters that every search in an application has, as they came: a tenant, a window of time and a page. Each reader refuses with
 * 422 and the parameter's name where the text cannot be read.
 */
public abstract class SearchParams {
    @QueryParam("tenant")
    @Nullable
    String tenant;

    @QueryParam("from")
    @Nullable
    String from;

    @QueryParam("to")
    @Nullable
    String to;

    @QueryParam("cursor")
    @Nullable
    String cursor;

    @QueryParam("limit")
    @Nullable
    String limit;

    /** The tenant's name. */
    public @Nullable String tenant() {
        return tenant;
    }

    /** Where the window of time begins, inclusive. */
    public @Nullable Instant from() {
        return instant("/from", from);
    }

    /** Where the window of time ends, exclusive. */
    public @Nullable Instant to() {
        return instant("/to", to);
    }

    /** The place after which the page begins, of a list whose sort key has that many parts. */
    public @Nullable Cursor cursor(int parts) {
        return Cursor.parse(cursor, parts);
    }

    /** Most entries of the page. */
    public int limit() {
        return PageLimit.parse(limit);
    }

    /** The one value that is written so; null where the parameter is absent. */
    protected static <T> @Nullable T oneOf(
            String pointer, @Nullable String text, T[] values, Function<T, String> written) {
        if (text == null) {
            return null;
        }
        return Arrays.stream(values)
                .filter(value -> written.apply(value).equals(text))
                .findFirst()
                .orElseThrow(() -> ApiProblem.invalid(
                        pointer,
                        "NOT_ALLOWED",
                        "one of " + Arrays.stream(values).map(written).toList()));
    }

    private static @Nullable Instant instant(String pointer, @Nullable String text) {
        return text == null
                ? null
                : Instants.parse(text)
                        .orElseThrow(() -> ApiProblem.invalid(
                                pointer, "BAD_FORMAT", "an RFC 3339 date-time with offset is required"));
    }
}
