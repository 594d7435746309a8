package dev.ringfence.feed;

import dev.ringfence.api.ApiProblem;
import dev.ringfence.api.Cursor;
import dev.ringfence.api.PathIds;
import java.util.UUID;

/**
 * A place in the feed of one subscription, as clients hold it: opaque text with a version, so that a later form is told apart.
 *
 * @param generation of the feed when the cursor was given out; with another one it is stale (PL-2)
 */
record FeedCursor(UUID subscription, UUID generation, FeedPosition position) {

    private static final String VERSION = "f1";
    private static final int PARTS = 5;

    /**
     * Reads what a client sent.
     *
     * @throws ApiProblem 422 {@code INVALID_CURSOR} for whatever no feed ever gave out
     */
    static FeedCursor parse(String text) {
        Cursor parts = Cursor.parse(text, PARTS);
        if (parts == null || !parts.parts().get(0).equals(VERSION)) {
            throw Cursor.invalid();
        }
        UUID subscription = PathIds.uuid(parts.parts().get(1));
        UUID generation = PathIds.uuid(parts.parts().get(2));
        if (subscription == null || generation == null) {
            throw Cursor.invalid();
        }
        FeedCursor cursor =
                new FeedCursor(subscription, generation, new FeedPosition(parts.number(3), parts.number(4)));
        if (cursor.position.compareTo(FeedPosition.START) < 0
                || !cursor.encoded().equals(text)) {
            throw Cursor.invalid();
        }
        return cursor;
    }

    FeedCursor at(FeedPosition other) {
        return new FeedCursor(subscription, generation, other);
    }

    /** The text for the client. */
    String encoded() {
        return Cursor.of(VERSION, subscription, generation, position.transaction(), position.delivery())
                .encoded();
    }
}
