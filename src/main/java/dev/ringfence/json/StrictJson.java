package dev.ringfence.json;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;

/**
 * The product's only JSON reader and writer (RC-8). Accepted is one RFC 8259 document in valid UTF-8 without byte order
 * mark, no object with two equal keys, nothing after the document, at most {@value #MAX_DEPTH} levels; its strings hold
 * neither {@code \u0000} nor lone surrogates, and its numbers fit PostgreSQL's {@code numeric}. Numbers stay exact.
 */
public final class StrictJson {

    /** Deepest nesting that is accepted. */
    public static final int MAX_DEPTH = 64;
    /** Size limit of {@link #parse(byte[])}: one mebibyte. */
    public static final int MAX_BYTES = 1 << 20;
    /** Longest number in characters. */
    static final int MAX_NUMBER_CHARS = 1_000;

    private static final ObjectMapper MAPPER = mapper();

    private StrictJson() {}

    /**
     * Parses a request body.
     *
     * @throws BadJson where the document is not acceptable or larger than {@link #MAX_BYTES}
     */
    public static JsonNode parse(byte[] document) {
        return parse(document, MAX_BYTES);
    }

    /**
     * As {@link #parse(byte[])} with another size limit in bytes.
     *
     * @throws BadJson where the document is not acceptable
     */
    public static JsonNode parse(byte[] document, int maxBytes) {
        if (document.length > maxBytes) {
            throw new BadJson(BadJson.Kind.TOO_LARGE, "", "TOO_LARGE", "more than " + maxBytes + " bytes");
        }
        String text = decode(document);
        try (JsonParser parser = MAPPER.getFactory().createParser(text)) {
            return new TreeReader(parser).read();
        } catch (IOException e) {
            throw new IllegalStateException("reading from memory failed", e);
        }
    }

    /**
     * Compact UTF-8. Records and maps keep their order; {@code null} members of records are left out unless the record
     * says otherwise by {@link JsonInclude}, {@code null} values of maps are written. Instants as {@link dev.ringfence.time.Instants} writes them.
     */
    public static byte[] write(Object value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    "not writable as JSON: " + value.getClass().getName(), e);
        }
    }

    /** As {@link #write(Object)}; empty where that would be more than so many bytes, which are not made then. */
    public static Optional<byte[]> write(Object value, int maxBytes) {
        BoundedBytes bytes = new BoundedBytes(maxBytes);
        try {
            MAPPER.writeValue(bytes, value);
            return Optional.of(bytes.toByteArray());
        } catch (BoundedBytes.Full full) {
            return Optional.empty();
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "not writable as JSON: " + value.getClass().getName(), e);
        }
    }

    /** As {@link #write(Object)}. A node's own {@code toString} would leave buffers with the thread (see {@link JsonFactories}). */
    public static String text(Object value) {
        return new String(write(value), StandardCharsets.UTF_8);
    }

    /** The document as a tree, for composing answers: writing the tree gives the bytes of {@link #write(Object)}. */
    public static JsonNode tree(Object value) {
        return MAPPER.valueToTree(value);
    }

    private static String decode(byte[] document) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(document))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new BadJson(BadJson.Kind.MALFORMED, "", "BAD_ENCODING", "the document is not valid UTF-8");
        }
    }

    private static ObjectMapper mapper() {
        JsonFactory factory = JsonFactories.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(MAX_DEPTH)
                        .maxNumberLength(MAX_NUMBER_CHARS)
                        .build())
                .build();
        return JsonMapper.builder(factory)
                .addModule(new SimpleModule("instants").addSerializer(Instant.class, new InstantSerializer()))
                .defaultPropertyInclusion(
                        JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
                .build();
    }
}
