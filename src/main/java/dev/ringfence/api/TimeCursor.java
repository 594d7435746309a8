package dev.ringfence.api;

import dev.ringfence.time.Instants;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The cursor of a list that is ordered by a time and then by an id. */
public record TimeCursor(Instant at, String id) {

    /**
     * The id, where the list's ids are UUIDs.
     *
     * @throws ApiProblem 422 {@code INVALID_CURSOR} where it is none
     */
    public UUID uuid() {
        UUID uuid = PathIds.uuid(id);
        if (uuid == null) {
            throw Cursor.invalid();
        }
        return uuid;
    }

    /** The cursor after an entry. */
    public static Cursor of(Instant at, Object id) {
        return Cursor.of(Instants.format(at), id);
    }

    /**
     * Reads what a client sent.
     *
     * @return {@code null} for the first page
     * @throws ApiProblem 422 {@code INVALID_CURSOR}
     */
    public static @Nullable TimeCursor parse(@Nullable String text) {
        Cursor cursor = Cursor.parse(text, 2);
        if (cursor == null) {
            return null;
        }
        Instant at = Instants.parse(cursor.parts().get(0)).orElseThrow(Cursor::invalid);
        return new TimeCursor(at, cursor.parts().get(1));
    }
}
