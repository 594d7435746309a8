package dev.ringfence.subscription;

import dev.ringfence.api.Cursor;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Where a page of subscriptions ends: the sort key of its last entry. */
record PagePlace(Instant createdAt, UUID id) {

    private static final PagePlace START = new PagePlace(Instant.EPOCH, new UUID(0, 0));

    static PagePlace of(Subscription last) {
        return new PagePlace(last.createdAt(), last.id());
    }

    /**
     * Reads a cursor; none is the place before the first.
     *
     * @throws dev.ringfence.api.ApiProblem 422 {@code INVALID_CURSOR}
     */
    static PagePlace after(@Nullable Cursor cursor) {
        if (cursor == null) {
            return START;
        }
        try {
            return new PagePlace(
                    Instant.parse(cursor.parts().get(0)),
                    UUID.fromString(cursor.parts().get(1)));
        } catch (DateTimeException | IllegalArgumentException foreign) {
            throw Cursor.invalid();
        }
    }

    Cursor cursor() {
        return Cursor.of(createdAt, id);
    }
}
