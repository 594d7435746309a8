package dev.ringfence.api;

import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Ids in request paths and parameters. */
public final class PathIds {

    private static final Pattern APP = Pattern.compile("/api/v1/apps/([^/;]+)");
    private static final Pattern UUID_SYNTAX =
            Pattern.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}");

    private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,17}");

    private PathIds() {}

    /** The application of {@code …/api/v1/apps/{app}/…}, or {@code null} where the path names none. */
    static @Nullable UUID appOf(String path) {
        Matcher matcher = APP.matcher(path);
        return matcher.find() ? uuid(matcher.group(1)) : null;
    }

    /**
     * An id in a path.
     *
     * @throws ApiProblem 404 where the text is no UUID, as then nothing can have that id
     */
    public static UUID id(String text) {
        UUID id = uuid(text);
        if (id == null) {
            throw ApiProblem.notFound();
        }
        return id;
    }

    /**
     * An id in a path that is a number, as deliveries have.
     *
     * @throws ApiProblem 404 where the text is no such number, as then nothing can have that id
     */
    public static long number(String text) {
        if (!NUMBER.matcher(text).matches()) {
            throw ApiProblem.notFound();
        }
        return Long.parseLong(text);
    }

    /**
     * An id in a query parameter.
     *
     * @throws ApiProblem 422 {@code INVALID} where the text is no UUID
     */
    public static UUID parameter(String pointer, String text) {
        UUID id = uuid(text);
        if (id == null) {
            throw ApiProblem.invalid(pointer, "BAD_FORMAT", "a UUID is required");
        }
        return id;
    }

    public static @Nullable UUID uuid(String text) {
        return UUID_SYNTAX.matcher(text).matches() ? UUID.fromString(text) : null;
    }
}
