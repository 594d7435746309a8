package dev.ringfence.feed;

/** What became of an order to move a cursor. */
sealed interface Advance {

    /**
     * It moved.
     *
     * @param cursor where it is now
     * @param delivered how many waiting deliveries it covered and marked
     */
    record Moved(String cursor, int delivered) implements Advance {}

    /** Somebody else had moved it before: nothing changed. */
    record Beaten(FeedCursor stored) implements Advance {}
}
