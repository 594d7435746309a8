package dev.ringfence.feed;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.PageLimit;
import dev.ringfence.api.PathIds;
import java.time.Duration;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A request for a page of a feed.
 *
 * @param after where to go on; null for the committed place
 * @param patience how long to wait for something to read
 */
record FeedQuery(UUID app, UUID subscription, @Nullable FeedCursor after, int limit, Duration patience) {

    /** Longest wait in milliseconds. */
    static final int MAX_WAIT_MS = 30_000;

    private static final Pattern MILLIS = Pattern.compile("[0-9]{1,5}");

    /**
     * Reads the request's parameters.
     *
     * @throws ApiProblem 404; 422 {@code INVALID}, {@code INVALID_CURSOR}
     */
    static FeedQuery of(
            String app, String subscription, @Nullable String cursor, @Nullable String limit, @Nullable String waitMs) {
        return new FeedQuery(
                PathIds.id(app),
                PathIds.id(subscription),
                cursor == null ? null : FeedCursor.parse(cursor),
                PageLimit.parse(limit),
                patience(waitMs));
    }

    private static Duration patience(@Nullable String text) {
        if (text == null) {
            return Duration.ZERO;
        }
        int millis = MILLIS.matcher(text).matches() ? Integer.parseInt(text) : Integer.MAX_VALUE;
        if (millis > MAX_WAIT_MS) {
            throw ApiProblem.invalid(
                    "/waitMs", "OUT_OF_RANGE", "the parameter waitMs goes from 0 to " + MAX_WAIT_MS + " milliseconds");
        }
        return Duration.ofMillis(millis);
    }
}
