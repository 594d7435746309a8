package dev.ringfence.recording;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.ringfence.json.JsonFactories;
import dev.ringfence.outbox.RawJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the JSON objects of a request body stand in its bytes, so that a producer's payload is stored as it was written and
 * never printed again: escapes, number spelling, key order and white space stay (RC-5).
 */
public final class RawSlices {
    /** Objects nested deeper ({@code /events/3/payload} is 3) are part of what encloses them. */
    private static final int DEPTH = 3;

    /** The body has passed the strict parser, so only its own size bounds what is read here. */
    private static final JsonFactory FACTORY = JsonFactories.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private final byte[] document;
    private final Map<String, int[]> ranges = new HashMap<>();

    private RawSlices(byte[] document) {
        this.document = document;
    }

    /** Finds the objects of {@code document}, which is well-formed JSON in UTF-8. */
    public static RawSlices of(byte[] document) {
        RawSlices slices = new RawSlices(document);
        try (JsonParser parser = FACTORY.createParser(document)) {
            parser.nextToken();
            slices.value(parser, "", 0);
        } catch (IOException e) {
            throw new UncheckedIOException("a parsed document cannot be read again", e);
        }
        return slices;
    }

    /** The object at a JSON pointer, or null where there is none. */
    @Nullable
    public RawJson at(String pointer) {
        int[] range = ranges.get(pointer);
        return range == null ? null : RawJson.slice(document, range[0], range[1]);
    }

    private void value(JsonParser parser, String pointer, int depth) throws IOException {
        if (depth > DEPTH) {
            parser.skipChildren();
        } else if (parser.currentToken() == JsonToken.START_OBJECT) {
            int start = (int) parser.currentTokenLocation().getByteOffset();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                parser.nextToken();
                value(parser, pointer + '/' + field, depth + 1);
            }
            ranges.put(pointer, new int[] {start, (int) parser.currentLocation().getByteOffset()});
        } else if (parser.currentToken() == JsonToken.START_ARRAY) {
            for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
                value(parser, pointer + '/' + i, depth + 1);
            }
        }
    }
}
