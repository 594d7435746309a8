package dev.ringfence.feed;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.ringfence.json.ProblemDocument;
import java.util.List;

/**
 * The problem document of a lost race for a cursor.
 *
 * @param cursor the stored one, from which the next attempt has to begin
 */
record CursorMoved(@JsonUnwrapped ProblemDocument problem, String cursor) {

    static CursorMoved to(FeedCursor stored, String correlationId) {
        ProblemDocument problem = ProblemDocument.of(
                409,
                "CURSOR_MOVED",
                "The cursor is not where the request takes it to be. Its place is the member cursor.",
                List.of(),
                correlationId);
        return new CursorMoved(problem, stored.encoded());
    }
}
