package dev.ringfence.retention;

import java.util.List;

/** What came of one attempt to drop the oldest week that is due. */
sealed interface WeekDrop {
    /** One week went; there may be more. */
    record Dropped(String week) implements WeekDrop {}

    /** Nothing to drop. */
    record Nothing(List<String> kept) implements WeekDrop {}

    /** Somebody held what had to be locked; nothing changed, and delivery did not wait longer than the database's bound. */
    record Busy() implements WeekDrop {}
}
