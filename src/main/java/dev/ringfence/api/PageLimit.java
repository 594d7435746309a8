package dev.ringfence.api;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The {@code limit} parameter of lists: 1 to 200, 50 where it is not given. */
public final class PageLimit {

    public static final int MAX = 200;
    static final int DEFAULT = 50;

    private static final Pattern SYNTAX = Pattern.compile("[0-9]{1,3}");

    private PageLimit() {}

    /**
     * Reads the parameter.
     *
     * @throws ApiProblem 422 {@code INVALID}
     */
    public static int parse(@Nullable String text) {
        if (text == null) {
            return DEFAULT;
        }
        int limit = SYNTAX.matcher(text).matches() ? Integer.parseInt(text) : 0;
        if (limit < 1 || limit > MAX) {
            throw ApiProblem.invalid("/limit", "OUT_OF_RANGE", "the parameter limit goes from 1 to " + MAX);
        }
        return limit;
    }
}
