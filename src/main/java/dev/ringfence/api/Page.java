package dev.ringfence.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One page of a list.
 *
 * @param items the entries
 * @param next the cursor of the following page, {@code null} on the last one
 */
public record Page<T>(
        List<T> items,
        @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable String next) {

    /**
     * Cuts a page from rows that were read with one more than the limit.
     *
     * @param rows up to {@code limit + 1} rows in list order
     * @param cursorOf the cursor that continues after a row
     */
    public static <T> Page<T> of(List<T> rows, int limit, Function<T, Cursor> cursorOf) {
        if (rows.size() <= limit) {
            return new Page<>(List.copyOf(rows), null);
        }
        List<T> items = List.copyOf(rows.subList(0, limit));
        return new Page<>(items, cursorOf.apply(items.get(limit - 1)).encoded());
    }

    /** A list that has nothing. */
    public static <T> Page<T> empty() {
        return new Page<>(List.of(), null);
    }

    /** The same page with each entry turned into something else. */
    public <R> Page<R> map(Function<? super T, R> mapping) {
        return new Page<>(items.stream().map(mapping).toList(), next);
    }
}
