package dev.ringfence.api;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The position in a list after which a page goes on. Opaque to clients; it proves nothing, so every query that uses one
 * is bound to the caller's application all the same.
 *
 * @param parts the sort key of the last entry seen
 */
public record Cursor(List<String> parts) {

    private static final String SEPARATOR = "\n";
    private static final int MAX_CHARS = 1_000;

    public Cursor {
        parts = List.copyOf(parts);
    }

    public static Cursor of(Object... parts) {
        return new Cursor(List.of(parts).stream().map(Object::toString).toList());
    }

    /**
     * Reads a cursor that a client sent.
     *
     * @param size how many parts the list's sort key has
     * @return {@code null} for the first page
     * @throws ApiProblem 422 {@code INVALID_CURSOR}
     */
    public static @Nullable Cursor parse(@Nullable String text, int size) {
        if (text == null || text.isEmpty()) {
            return null;
        }
        try {
            byte[] bytes = Base64.getUrlDecoder().decode(text.substring(0, Math.min(text.length(), MAX_CHARS)));
            String decoded = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            Cursor cursor = new Cursor(List.of(decoded.split(SEPARATOR, -1)));
            if (cursor.parts.size() == size
                    && decoded.indexOf(0) < 0
                    && cursor.encoded().equals(text)) {
                return cursor;
            }
        } catch (IllegalArgumentException | CharacterCodingException e) {
            // answered below, like a cursor of another list
        }
        throw invalid();
    }

    /**
     * One part as a number.
     *
     * @throws ApiProblem 422 {@code INVALID_CURSOR} where it is none
     */
    public long number(int part) {
        try {
            return Long.parseLong(parts.get(part));
        } catch (NumberFormatException e) {
            throw invalid();
        }
    }

    /** The text for the client. */
    public String encoded() {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(String.join(SEPARATOR, parts).getBytes(StandardCharsets.UTF_8));
    }

    /** The answer to a cursor that this list never gave out. */
    public static ApiProblem invalid() {
        return ApiProblem.unprocessable("INVALID_CURSOR", "This cursor does not belong to this list.");
    }
}
